package dev.sluice.worker;

import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.migrate.MigrationStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A worker at one moment.
 *
 * @param group named after the consumer prefix
 * @param worker the stable id; empty while {@link State#JOINING}
 * @param incarnation tells this life of the worker from earlier ones under the same id
 * @param consumers names of its JetStream consumers, the durable first
 * @param subjects filters of all its durable consumers together
 * @param queued messages taken in and not finished, of all partitions
 * @param lanes its owned partitions, by index
 * @param mode the present consumer mode of the group
 * @param migration the last change of the mode by a migration; null when there was none
 * @param problems for operators: state, cause and remedy of each; empty when all is well
 */
public record WorkerStatus(
        String group,
        String worker,
        String incarnation,
        State state,
        List<String> consumers,
        int subjects,
        int queued,
        List<LaneStatus> lanes,
        ConsumerMode mode,
        @Nullable MigrationStatus migration,
        List<String> problems) {
    public WorkerStatus {
        consumers = List.copyOf(consumers);
        lanes = List.copyOf(lanes);
        problems = List.copyOf(problems);
    }

    /** The same in another state. */
    public WorkerStatus in(State other) {
        return new WorkerStatus(
                group, worker, incarnation, other, consumers, subjects, queued, lanes, mode, migration, problems);
    }

    public enum State {
        JOINING,
        RUNNING,
        PAUSED,
        DRAINING,
        STOPPED
    }
}
