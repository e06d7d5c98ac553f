package dev.sluice.worker;

import static dev.sluice.worker.FlowingGroup.QUICK;
import static dev.sluice.worker.FlowingGroup.TIMEOUT;
import static dev.sluice.worker.FlowingGroup.WORKERS;
import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_PARTITION;
import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_WORKER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import io.nats.client.api.RetentionPolicy;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The consumer mode of a running group is changed by restarting its workers one after the other, and changed back. */
@Timeout(180)
class ModeChangeTest {
    @ParameterizedTest
    @CsvSource({"Limits, NEWEST", "WorkQueue, V2_10", "Interest, NEWEST"})
    void aRollingRestartChangesTheModeAndLosesNothing(RetentionPolicy retention, NatsLine line) throws Exception {
        try (FlowingGroup group = new FlowingGroup(retention, line)) {
            for (int i = 0; i < WORKERS; i++) {
                group.workers().add(start(group, PER_WORKER));
            }
            awaitSettled(group, WORKERS);
            group.publish();
            changeTo(group, PER_PARTITION);
            if (retention != RetentionPolicy.Interest) { // there the leader deletes what is left over, every 5 s
                awaitSettled(group, group.partitions());
            }
            changeTo(group, PER_WORKER);
            awaitSettled(group, WORKERS);
            group.awaitAllHandledInOrder();
        }
    }

    /** Workers leave in good order, one after the other, and come back in the other mode. */
    private static void changeTo(FlowingGroup group, ConsumerMode mode) throws Exception {
        for (int i = 0; i < WORKERS; i++) {
            group.workers().get(i).close();
            Worker started = start(group, mode);
            group.workers().set(i, started);
            await().atMost(TIMEOUT).until(() -> fed(started) == group.partitionsOfAWorker());
            int before = group.handled();
            await().atMost(TIMEOUT).until(() -> group.handled() > before + 2 * group.partitions());
        }
    }

    private static void awaitSettled(FlowingGroup group, int consumers) {
        await().atMost(TIMEOUT).untilAsserted(() -> {
            assertThat(group.workers()).allMatch(worker -> fed(worker) == group.partitionsOfAWorker());
            assertThat(group.consumers()).hasSize(consumers);
            assertThat(group.workers())
                    .allMatch(worker -> worker.status().problems().isEmpty());
        });
    }

    private static long fed(Worker worker) {
        return worker.status().lanes().stream()
                .filter(lane -> lane.source() != LaneStatus.Source.NONE)
                .count();
    }

    private static Worker start(FlowingGroup group, ConsumerMode mode) throws Exception {
        return group.start(QUICK.with(s -> s.consumers = mode), (context, message) -> Outcome.done());
    }
}
