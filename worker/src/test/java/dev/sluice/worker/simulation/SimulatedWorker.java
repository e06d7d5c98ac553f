package dev.sluice.worker.simulation;

import dev.sluice.testkit.simulation.Node;
import java.util.Collection;

/** The engine of one simulated process. */
interface SimulatedWorker {
    /** Leaves in good order; called on a fiber of the node, which it may block. */
    void close();

    /** How many partitions it owns now. */
    int owned();

    /** Whether each partition it owns has a consumer of its own. */
    default boolean hasConsumerPerPartition() {
        return false;
    }

    /** The names of the consumers it uses now. */
    Collection<String> consumers();

    /** Starts an engine as the present life of a process; called in a step that must not block. */
    @FunctionalInterface
    interface Engine {
        SimulatedWorker start(Node node, WorkerWorld world);
    }
}
