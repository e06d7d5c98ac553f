package dev.sluice.worker.migrate;

import static dev.sluice.worker.FlowingGroup.QUICK;
import static dev.sluice.worker.FlowingGroup.TIMEOUT;
import static dev.sluice.worker.FlowingGroup.WORKERS;
import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_PARTITION;
import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_WORKER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.model.InvalidInputException;
import dev.sluice.nats.NatsCoordinationStore;
import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.worker.FlowingGroup;
import dev.sluice.worker.LaneStatus.Source;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.WorkerBuilder;
import dev.sluice.worker.admin.WorkerAdmin;
import dev.sluice.worker.deadletter.InMemoryDeadLetters;
import dev.sluice.worker.migrate.Migration.Phase;
import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.NatsMessageStream;
import io.nats.client.Connection;
import io.nats.client.api.RetentionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The consumer mode of a group of two workers is migrated on real servers while messages come. */
@Timeout(120)
class ModeMigrationTest {
    private final CountDownLatch released = new CountDownLatch(1);
    private FlowingGroup group;
    private CoordinationStore store;
    private MessageStream stream;
    private WorkerAdmin admin;
    private volatile boolean holds;

    @AfterEach
    void close() throws Exception {
        released.countDown();
        stream.close();
        store.close();
        group.close();
    }

    @ParameterizedTest
    @CsvSource({"Limits, V2_10, SHADOW", "Interest, NEWEST, BURN_IN"})
    void theNewModeHandlesWhenItWasComparedAndStaysAfterTheBurnIn(RetentionPolicy kind, NatsLine line, Phase first)
            throws Exception {
        start(kind, line);
        if (first == Phase.SHADOW) {
            abortLeavesNoShadow();
        }
        admin.migrate(PER_WORKER, PER_PARTITION, 0, limits(10, Duration.ofSeconds(1), 10_000));
        assertThat(phase()).isEqualTo(first);
        assertThatThrownBy(() -> admin.migrate(PER_WORKER, PER_PARTITION, 0, limits(2, TIMEOUT, 1)))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("a migration runs already");
        awaitPhase(Phase.DONE);
        awaitConsumers(group.partitions(), Source.CATCH_UP);
        assertThat(group.workers())
                .allSatisfy(worker -> assertThat(worker.status().problems())
                        .as("its configuration is another one")
                        .singleElement()
                        .asString()
                        .contains("worker.consumers of this worker is per-worker, but its group uses per-partition"));
        admin.migrations().forget();
        awaitConsumers(WORKERS, Source.DURABLE);
        assertThat(group.workers()).allMatch(worker -> worker.status().mode() == PER_WORKER);
        group.awaitAllHandledInOrder();
    }

    /** On a work queue the new mode handles at once; then handlers hang. */
    @Test
    void badWindowsBringTheOldModeBack() throws Exception {
        start(RetentionPolicy.WorkQueue, NatsLine.NEWEST);
        admin.migrate(PER_WORKER, PER_PARTITION, 0, limits(2, TIMEOUT, 20));
        awaitConsumers(group.partitions(), Source.CATCH_UP);
        holds = true;
        awaitPhase(Phase.ROLLED_BACK);
        assertThat(admin.migrations().migration().orElseThrow().reason())
                .contains("2 bad windows in a row", "max_lag 20");
        released.countDown();
        awaitConsumers(WORKERS, Source.DURABLE);
        group.awaitAllHandledInOrder();
    }

    private void abortLeavesNoShadow() throws Exception {
        MigrationLimits slow = new MigrationLimits(Duration.ofMinutes(1), 3, 3, Duration.ofMinutes(10), 10_000, 3);
        admin.migrate(PER_WORKER, PER_PARTITION, 0, slow);
        await().atMost(TIMEOUT)
                .untilAsserted(() -> assertThat(group.consumers()).hasSize(WORKERS + group.partitions()));
        admin.migrations().abort();
        awaitConsumers(WORKERS, Source.DURABLE);
        assertThat(phase()).isEqualTo(Phase.ROLLED_BACK);
        assertThat(group.workers())
                .allMatch(worker -> worker.status().problems().isEmpty());
        assertThatThrownBy(() -> admin.migrations().abort()).hasMessageContaining("no migration runs");
    }

    private static MigrationLimits limits(int badWindows, Duration burnIn, long maxLag) {
        return new MigrationLimits(Duration.ofMillis(100), 2, badWindows, burnIn, maxLag, 3);
    }

    private void start(RetentionPolicy retention, NatsLine line) throws Exception {
        group = new FlowingGroup(retention, line);
        Connection nats = group.connect();
        store = NatsCoordinationStore.over(nats, WorkerBuilder.DEFAULT_BUCKET, 1, Duration.ofSeconds(5));
        stream = new NatsMessageStream(nats, group.name(), Duration.ofSeconds(5));
        admin = new WorkerAdmin(store, group.name(), stream, new InMemoryDeadLetters(10, Instant::now, letter -> 0));
        for (int i = 0; i < WORKERS; i++) {
            group.workers().add(group.start(QUICK, (context, message) -> {
                if (holds) {
                    released.await();
                }
                return Outcome.done();
            }));
        }
        awaitConsumers(WORKERS, Source.DURABLE);
        group.publish();
    }

    private Phase phase() {
        return admin.migrations().migration().orElseThrow().phase();
    }

    private void awaitPhase(Phase phase) {
        await().atMost(TIMEOUT).untilAsserted(() -> assertThat(phase()).isEqualTo(phase));
    }

    private void awaitConsumers(int consumers, Source source) {
        await().atMost(TIMEOUT).untilAsserted(() -> {
            assertThat(group.workers())
                    .allMatch(worker -> worker.status().lanes().size() == group.partitionsOfAWorker());
            assertThat(group.workers())
                    .allMatch(worker -> worker.status().lanes().stream().allMatch(lane -> lane.source() == source));
            assertThat(group.consumers()).hasSize(consumers);
        });
    }
}
