package dev.sluice.devmongo;

import dev.sluice.devmongo.command.CommandDispatcher;
import dev.sluice.devmongo.command.Node;
import dev.sluice.devmongo.command.Topology;
import dev.sluice.devmongo.journal.KeptData;
import dev.sluice.devmongo.oplog.NoopWriter;
import dev.sluice.devmongo.oplog.Oplog;
import dev.sluice.devmongo.oplog.OplogSettings;
import dev.sluice.devmongo.store.Store;
import dev.sluice.devmongo.wire.ReplyGate;
import dev.sluice.devmongo.wire.WireServer;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server for development and tests that speaks the MongoDB wire protocol to the official drivers, as a replica set of
 * one member. Everything is in memory and gone when it is closed, unless it is given a directory to keep it in; there are no
 * users, and it listens on loopback only. It is not a database.
 *
 * <pre>{@code
 * try (DevMongo server = DevMongo.builder().start();
 *         MongoClient client = MongoClients.create(server.connectionString())) { … }
 * }</pre>
 */
public final class DevMongo implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DevMongo.class);
    private static final Duration LAST_REPLIES = Duration.ofSeconds(2);

    private final Node node;
    private final CommandDispatcher dispatcher;
    private final ReplyGate gate = new ReplyGate();
    private final NoopWriter noops;
    private final @Nullable KeptData kept;
    private final boolean replicaSet;
    private final int port;
    private volatile @Nullable WireServer server;

    private DevMongo(DevMongoBuilder settings) {
        ServerVersion version = settings.version();
        this.replicaSet = settings.replicaSet();
        // Clients are answered only once the node knows its own address.
        WireServer bound = WireServer.bind(settings.port(), gate);
        this.port = bound.port();
        try {
            Path data = settings.data();
            OplogSettings history = history(settings);
            Oplog oplog = data == null ? new Oplog(history) : Oplog.toBeResumed(history);
            Store store = new Store(oplog, settings.uuids(), settings.transactionLifetime());
            this.kept = data == null ? null : KeptData.open(data, oplog, store);
            this.node = new Node(version, topology(), oplog, store, address(), this::shutDown);
        } catch (RuntimeException failed) {
            bound.close();
            throw failed;
        }
        this.dispatcher = new CommandDispatcher(node, kept == null ? () -> {} : kept::sync);
        this.server = bound;
        bound.serve(dispatcher);
        this.noops = NoopWriter.start(node.oplog(), settings.noopEvery());
        LOG.info("devmongo listens on {}: for development and tests, not a database.", address());
    }

    private static OplogSettings history(DevMongoBuilder settings) {
        ServerVersion version = settings.version();
        return new OplogSettings(settings.clock(), settings.oplogLimit(), version.atLeast(6, 0), version.atLeast(5, 0));
    }

    /** Primary in a term of its own: a driver that knew the process before would refuse the same one again. */
    private Topology topology() {
        KeptData data = kept;
        if (data == null) {
            return new Topology(replicaSet, 1, term -> {});
        }
        long term = data.lastTerm() + 1;
        data.termBegins(term);
        return new Topology(replicaSet, term, data::termBegins);
    }

    public static DevMongoBuilder builder() {
        return new DevMongoBuilder();
    }

    static DevMongo start(DevMongoBuilder settings) {
        return new DevMongo(settings);
    }

    public int port() {
        return port;
    }

    /** Host and port, as a replica set member calls itself. */
    public String address() {
        return "127.0.0.1:" + port;
    }

    /** What to give to a driver. */
    public String connectionString() {
        return "mongodb://" + address() + "/" + (replicaSet ? "?replicaSet=rs0" : "");
    }

    /** Lets a test make things go wrong. */
    public DevMongoScript script() {
        return new DevMongoScript(this, node, gate);
    }

    /** Stops orderly: waiting reads are told that the server shuts down, then the connections close. */
    void shutDown() {
        WireServer running = server;
        server = null;
        if (running != null) {
            running.announceClosing();
        }
        node.topology().stepDown();
        node.interruptForShutdown();
        if (running != null) {
            try {
                running.finish(LAST_REPLIES);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                running.close();
            }
        }
    }

    /** Stops at once, as a killed process does: clients see their connections close and nothing else. */
    void kill() {
        WireServer running = server;
        server = null;
        if (running != null) {
            running.close();
        }
        node.interruptForShutdown();
    }

    /** Comes back on the same port with the same data, as a new process in a new term. */
    void comeBack() {
        WireServer bound = WireServer.bind(port, gate);
        node.restarted();
        server = bound;
        bound.serve(dispatcher);
    }

    void dropConnections() {
        WireServer running = server;
        if (running != null) {
            running.dropConnections();
        }
    }

    @Override
    public void close() {
        noops.close();
        gate.open();
        kill();
        if (kept != null) {
            kept.close();
        }
    }
}
