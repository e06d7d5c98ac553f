package dev.sluice.worker;

import java.time.Duration;

/**
 * Receives the durations that a worker measures. All methods do nothing unless overridden. They are called on the worker's
 * own threads: return at once. A listener that throws is counted and logged, and does not disturb the worker.
 */
public interface WorkerListener {
    /** Ignores everything. */
    WorkerListener NONE = new WorkerListener() {};

    /** A consumer was created, or its filters were changed, or that failed. */
    default void updateTook(Duration time, boolean ok) {}

    /** A handler returned; {@code outcome} is {@link Outcome.Retry} when it threw. */
    default void handled(Duration time, Outcome outcome) {}

    /** A partition left this worker: from the assignment that names another owner to the release of the claim. */
    default void handoffTook(Duration time) {}

    /** A listener that passes calls on and survives whatever they throw. */
    static WorkerListener guarded(WorkerListener listener, WorkerCounters counters) {
        return new GuardedListener(listener, counters);
    }
}
