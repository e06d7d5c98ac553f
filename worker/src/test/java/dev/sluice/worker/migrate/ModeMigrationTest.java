package dev.sluice.worker.migrate;

import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_PARTITION;
import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_WORKER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.model.InvalidInputException;
import dev.sluice.nats.NatsCoordinationStore;
import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.LaneStatus.Source;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerBuilder;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.admin.WorkerAdmin;
import dev.sluice.worker.deadletter.InMemoryDeadLetters;
import dev.sluice.worker.migrate.Migration.Phase;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.NatsMessageStream;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The consumer mode of a group of two workers is migrated on real servers while messages come. */
@Timeout(120)
class ModeMigrationTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(40);
    private static final int WORKERS = 2;
    private static final WorkerSettings QUICK = WorkerSettings.DEFAULT.with(s -> {
        s.minUpdateInterval = Duration.ofMillis(100);
        s.stabiliser = StabiliserSettings.IMMEDIATE;
        s.maxSingles = 0;
    });

    private final String name = "migrate-" + System.nanoTime();
    private final List<String> subjects =
            IntStream.range(0, 6).mapToObj(i -> name + ".p" + i).toList();
    private final List<Connection> connections = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();
    private final Map<String, List<Long>> published = new ConcurrentHashMap<>();
    private final Map<String, List<Long>> handled = new ConcurrentHashMap<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private NatsServer server;
    private JetStreamManagement management;
    private CoordinationStore store;
    private MessageStream stream;
    private WorkerAdmin admin;
    private Thread publisher;
    private volatile boolean publishing = true;
    private volatile boolean holds;

    @AfterEach
    void close() throws Exception {
        publishing = false;
        released.countDown();
        publisher.join();
        workers.forEach(Worker::close);
        stream.close();
        store.close();
        management.deleteStream(name);
        for (Connection connection : connections) {
            connection.close();
        }
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
        awaitConsumers(subjects.size(), Source.CATCH_UP);
        assertThat(workers)
                .allSatisfy(worker -> assertThat(worker.status().problems())
                        .as("its configuration is another one")
                        .singleElement()
                        .asString()
                        .contains("worker.consumers of this worker is per-worker, but its group uses per-partition"));
        admin.migrations().forget();
        awaitConsumers(WORKERS, Source.DURABLE);
        assertThat(workers).allMatch(worker -> worker.status().mode() == PER_WORKER);
        assertNothingLostAndInOrder();
    }

    /** On a work queue the new mode handles at once; then handlers hang. */
    @Test
    void badWindowsBringTheOldModeBack() throws Exception {
        start(RetentionPolicy.WorkQueue, NatsLine.NEWEST);
        admin.migrate(PER_WORKER, PER_PARTITION, 0, limits(2, TIMEOUT, 20));
        awaitConsumers(subjects.size(), Source.CATCH_UP);
        holds = true;
        awaitPhase(Phase.ROLLED_BACK);
        assertThat(admin.migrations().migration().orElseThrow().reason())
                .contains("2 bad windows in a row", "max_lag 20");
        released.countDown();
        awaitConsumers(WORKERS, Source.DURABLE);
        assertNothingLostAndInOrder();
    }

    private void abortLeavesNoShadow() throws Exception {
        MigrationLimits slow = new MigrationLimits(Duration.ofMinutes(1), 3, 3, Duration.ofMinutes(10), 10_000, 3);
        admin.migrate(PER_WORKER, PER_PARTITION, 0, slow);
        await().atMost(TIMEOUT)
                .untilAsserted(
                        () -> assertThat(management.getConsumerNames(name)).hasSize(WORKERS + subjects.size()));
        admin.migrations().abort();
        awaitConsumers(WORKERS, Source.DURABLE);
        assertThat(phase()).isEqualTo(Phase.ROLLED_BACK);
        assertThat(workers).allMatch(worker -> worker.status().problems().isEmpty());
        assertThatThrownBy(() -> admin.migrations().abort()).hasMessageContaining("no migration runs");
    }

    private static MigrationLimits limits(int badWindows, Duration burnIn, long maxLag) {
        return new MigrationLimits(Duration.ofMillis(100), 2, badWindows, burnIn, maxLag, 3);
    }

    private void start(RetentionPolicy retention, NatsLine line) throws Exception {
        server = NatsServer.shared(line);
        Connection nats = connect();
        management = nats.jetStreamManagement();
        management.addStream(StreamConfiguration.builder()
                .name(name)
                .subjects(name + ".>")
                .retentionPolicy(retention)
                .storageType(StorageType.Memory)
                .build());
        for (int i = 0; i < WORKERS; i++) {
            workers.add(startWorker());
        }
        store = NatsCoordinationStore.over(nats, WorkerBuilder.DEFAULT_BUCKET, 1, Duration.ofSeconds(5));
        stream = new NatsMessageStream(nats, name, Duration.ofSeconds(5));
        admin = new WorkerAdmin(store, name, stream, new InMemoryDeadLetters(10, Instant::now, letter -> 0));
        awaitConsumers(WORKERS, Source.DURABLE);
        publisher = publish(connect());
    }

    private Worker startWorker() throws Exception {
        return Worker.builder(connect()).stream(name)
                .prefix(name)
                .partitions(Partitions.list(subjects))
                .handler((context, message) -> {
                    if (holds) {
                        released.await();
                    }
                    handled.computeIfAbsent(message.subject(), subject -> new CopyOnWriteArrayList<>())
                            .add(message.sequence());
                    return Outcome.done();
                })
                .settings(QUICK)
                .start();
    }

    private Phase phase() {
        return admin.migrations().migration().orElseThrow().phase();
    }

    private void awaitPhase(Phase phase) {
        await().atMost(TIMEOUT).untilAsserted(() -> assertThat(phase()).isEqualTo(phase));
    }

    private void awaitConsumers(int consumers, Source source) {
        await().atMost(TIMEOUT).untilAsserted(() -> {
            assertThat(workers).allMatch(worker -> worker.status().lanes().size() == subjects.size() / WORKERS);
            assertThat(workers)
                    .allMatch(worker -> worker.status().lanes().stream().allMatch(lane -> lane.source() == source));
            assertThat(management.getConsumerNames(name)).hasSize(consumers);
        });
    }

    private void assertNothingLostAndInOrder() throws Exception {
        publishing = false;
        publisher.join();
        await().atMost(TIMEOUT)
                .untilAsserted(() ->
                        subjects.forEach(subject -> assertThat(handled.getOrDefault(subject, List.of()).stream()
                                        .distinct()
                                        .toList())
                                .as(subject)
                                .isEqualTo(published.get(subject))));
    }

    private Thread publish(Connection connection) {
        return Thread.ofVirtual().start(() -> {
            for (int i = 0; publishing; i++) {
                String subject = subjects.get(i % subjects.size());
                published
                        .computeIfAbsent(subject, key -> new CopyOnWriteArrayList<>())
                        .add(publish(connection, subject));
                LockSupport.parkNanos(2_000_000);
            }
        });
    }

    private static long publish(Connection connection, String subject) {
        try {
            return connection.jetStream().publish(subject, new byte[0]).getSeqno();
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    private Connection connect() throws Exception {
        Connection made = Nats.connect(server.url());
        connections.add(made);
        return made;
    }
}
