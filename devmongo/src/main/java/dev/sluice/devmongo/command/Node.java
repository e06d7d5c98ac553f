package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.ServerVersion;
import dev.sluice.devmongo.changes.DeliveryFaults;
import dev.sluice.devmongo.oplog.Oplog;
import dev.sluice.devmongo.store.Store;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.bson.BsonValue;

/** Everything one server process knows; what outlives a restart comes in from outside. */
public final class Node {
    private final ServerVersion version;
    private final Topology topology;
    private final Oplog oplog;
    private final Store store;
    private final String address;
    private final Runnable shutdown;
    private final Operations operations;
    private final Cursors cursors = new Cursors();
    private final FailPoints failPoints = new FailPoints();
    private final DeliveryFaults faults = new DeliveryFaults();
    private final Map<String, BsonValue> parameters = new ConcurrentHashMap<>();

    /**
     * @param address how clients reach this server, as host:port
     * @param shutdown what the {@code shutdown} command does
     */
    public Node(ServerVersion version, Topology topology, Oplog oplog, Store store, String address, Runnable shutdown) {
        this.version = version;
        this.topology = topology;
        this.oplog = oplog;
        this.store = store;
        this.address = address;
        this.shutdown = shutdown;
        this.operations = new Operations(oplog);
    }

    ServerVersion version() {
        return version;
    }

    public Topology topology() {
        return topology;
    }

    public Oplog oplog() {
        return oplog;
    }

    public Store store() {
        return store;
    }

    String address() {
        return address;
    }

    Cursors cursors() {
        return cursors;
    }

    public int openCursors() {
        return cursors.count();
    }

    public Operations operations() {
        return operations;
    }

    public FailPoints failPoints() {
        return failPoints;
    }

    public DeliveryFaults faults() {
        return faults;
    }

    Map<String, BsonValue> parameters() {
        return parameters;
    }

    void shutDown() {
        shutdown.run();
    }

    /** No longer primary; what a transaction wrote so far is gone, as are the writes that wait for it. */
    public void stepDown() {
        topology.stepDown();
        store.abortTransactions(new CommandException(
                11602, "InterruptedDueToReplStateChange", "operation was interrupted because of a stepdown"));
    }

    /** Primary again, in a new term whose first entry is a no-op; nothing happens to a primary. */
    public void stepUp() {
        if (!topology.primary()) {
            topology.stepUp();
            topology.termBeganAt(oplog.noop());
        }
    }

    /** Ends everything that runs or waits as a shutdown does, forgets the cursors and aborts the transactions. */
    public void interruptForShutdown() {
        operations.refuse(new CommandException(
                11600, "InterruptedAtShutdown", "Error in $cursor stage :: caused by :: interrupted at shutdown"));
        cursors.clear();
        store.abortTransactions(new CommandException(11600, "InterruptedAtShutdown", "interrupted at shutdown"));
    }

    /** As a new process, in a new term, with the same data. */
    public void restarted() {
        operations.accept();
        topology.restarted();
        topology.termBeganAt(oplog.noop());
    }
}
