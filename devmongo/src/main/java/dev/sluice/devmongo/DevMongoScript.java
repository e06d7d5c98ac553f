package dev.sluice.devmongo;

import dev.sluice.devmongo.command.FailPoint;
import dev.sluice.devmongo.command.Node;
import dev.sluice.devmongo.wire.ReplyGate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.jspecify.annotations.Nullable;

/** What a test may do to a running {@link DevMongo}: events from nowhere, and trouble. Any thread may call it. */
public final class DevMongoScript {
    private final DevMongo server;
    private final Node node;
    private final ReplyGate gate;

    DevMongoScript(DevMongo server, Node node, ReplyGate gate) {
        this.server = server;
        this.node = node;
        this.gate = gate;
    }

    /** Appends a change event made by hand; its {@code _id} and {@code clusterTime} are set, the rest goes out as it is. */
    public BsonTimestamp emit(BsonDocument event) {
        return node.oplog().appendEvent(event);
    }

    /** Appends {@code n} insert events of about {@code documentBytes} each, without storing documents: for benchmarks. */
    public void preload(String database, String collection, int n, int documentBytes) {
        preload(database, collection, 0, n, documentBytes);
    }

    /** The same, with the numbers from {@code first}. */
    public void preload(String database, String collection, int first, int n, int documentBytes) {
        node.oplog().preload(database, collection, first, n, documentBytes);
    }

    /** Writes a no-op now, as the server does by itself every ten quiet seconds. */
    public BsonTimestamp noop() {
        return node.oplog().noop();
    }

    /** The newest write. */
    public BsonTimestamp newest() {
        return node.oplog().newest();
    }

    /** The oldest write still in the oplog. */
    public BsonTimestamp oldest() {
        return node.oplog().oldest();
    }

    /** From now on {@code $clusterTime} is so many ticks ahead of the oplog, as while writes are in flight. */
    public void keepInFlight(int writes) {
        node.oplog().keepInFlight(writes);
    }

    /** How many cursors nobody has closed yet, streams and others. */
    public int openCursors() {
        return node.openCursors();
    }

    /**
     * Lets change streams and majority reads see nothing after {@code time}, as if the majority lagged: later writes are
     * applied and acknowledged here, but not committed. Null lets go.
     */
    public void holdCommitted(@Nullable BsonTimestamp time) {
        node.oplog().holdCommitted(time);
    }

    /** Forgets all history: open streams fail with 136, resuming with 286. */
    public void rollOplogOver() {
        node.oplog().rollOver();
    }

    /** Sends each of the next {@code n} events of any stream twice. */
    public void duplicateNext(int n) {
        node.faults().duplicateNext(n);
    }

    /**
     * Lets every stream spend {@code perEntry} on each oplog entry, also on entries its filter rejects. A reply leaves when its
     * batch is full or the oplog ends, so one reply over many rejected entries takes long. Zero ends it.
     */
    public void slowScan(Duration perEntry) {
        node.faults().slowScan(perEntry);
    }

    /** Closes every connection without a word. */
    public void dropConnections() {
        server.dropConnections();
    }

    /** No longer primary: writes are refused, open transactions abort. */
    public void stepDown() {
        node.stepDown();
    }

    /** Primary in a new term, which begins with a no-op as on a real server. */
    public void stepUp() {
        node.stepUp();
    }

    /** Fails the next {@code n} commands of that name with a code; the labels are those a server would add. */
    public void failNext(int n, String command, int code) {
        node.failPoints().arm(new FailPoint(Set.of(command), n, code, null, false, 0));
    }

    /** Fails the next {@code n} commands of that name with a code and exactly these labels besides the usual ones. */
    public void failNext(int n, String command, int code, List<String> labels) {
        node.failPoints().arm(new FailPoint(Set.of(command), n, code, labels, false, 0));
    }

    /** Closes the connection on each of the next {@code n} commands of that name. */
    public void closeOnNext(int n, String command) {
        node.failPoints().arm(new FailPoint(Set.of(command), n, 0, null, true, 0));
    }

    /** Forgets what was arranged to fail. */
    public void failNothing() {
        node.failPoints().clear();
    }

    /** Stops answering: commands still run, but no reply leaves until {@link #resume()}. */
    public void stall() {
        gate.stall();
    }

    public void resume() {
        gate.open();
    }

    /** Stops orderly: what waits gets 11600, transactions abort, then connections close. Data stays for {@link #start()}. */
    public void shutDown() {
        server.shutDown();
    }

    /** Stops like {@code kill -9}: connections close, transactions abort. Data stays for {@link #start()}. */
    public void kill() {
        server.kill();
    }

    /** Comes back after {@link #shutDown()} or {@link #kill()}: same port, same data, new process, new term. */
    public void start() {
        server.comeBack();
    }

    /** {@link #kill()} and {@link #start()}. */
    public void restart() {
        kill();
        start();
    }

    /** Waits until {@code n} getMores wait for events; false if that takes longer than {@code limit}. */
    public boolean awaitBlockedReads(int n, Duration limit) throws InterruptedException {
        return node.operations().awaitBlockedReads(n, limit);
    }

    /** Waits until {@code n} writes wait for a transaction to end; false if that takes longer than {@code limit}. */
    public boolean awaitWaitingWrites(int n, Duration limit) throws InterruptedException {
        return node.store().awaitWaitingWrites(n, limit);
    }
}
