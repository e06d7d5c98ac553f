package dev.sluice.worker;

import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_PARTITION;
import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_WORKER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.partition.Partitions;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The consumer mode of a running group is changed by restarting its workers one after the other, and changed back. */
@Timeout(180)
class ModeChangeTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(40);
    private static final int WORKERS = 2;
    private static final WorkerSettings QUICK = WorkerSettings.DEFAULT.with(s -> {
        s.minUpdateInterval = Duration.ofMillis(100);
        s.stabiliser = StabiliserSettings.IMMEDIATE;
        s.maxSingles = 0;
    });

    private final String name = "mode-" + System.nanoTime();
    private final List<String> subjects =
            IntStream.range(0, 6).mapToObj(i -> name + ".p" + i).toList();
    private final List<Connection> connections = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();
    private final Map<String, List<Long>> published = new ConcurrentHashMap<>();
    private final Map<String, List<Long>> handled = new ConcurrentHashMap<>();
    private NatsServer server;
    private JetStreamManagement management;
    private volatile boolean publishing = true;

    @AfterEach
    void close() throws Exception {
        publishing = false;
        for (Worker worker : workers) {
            worker.close();
        }
        management.deleteStream(name);
        for (Connection connection : connections) {
            connection.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"Limits, NEWEST", "WorkQueue, V2_10", "Interest, NEWEST"})
    void aRollingRestartChangesTheModeAndLosesNothing(RetentionPolicy retention, NatsLine line) throws Exception {
        server = NatsServer.shared(line);
        management = connect().jetStreamManagement();
        management.addStream(StreamConfiguration.builder()
                .name(name)
                .subjects(name + ".>")
                .retentionPolicy(retention)
                .storageType(StorageType.Memory)
                .build());
        for (int i = 0; i < WORKERS; i++) {
            workers.add(start(PER_WORKER));
        }
        awaitSettled(WORKERS);
        Thread publisher = publisher(connect());
        changeTo(PER_PARTITION);
        if (retention != RetentionPolicy.Interest) { // there the leader deletes what is left over, every 5 s
            awaitSettled(subjects.size());
        }
        changeTo(PER_WORKER);
        awaitSettled(WORKERS);
        publishing = false;
        publisher.join();
        await().atMost(TIMEOUT)
                .untilAsserted(() -> subjects.forEach(subject ->
                        assertThat(firstHandlings(subject)).as(subject).isEqualTo(published.get(subject))));
    }

    /** Workers leave in good order, one after the other, and come back in the other mode. */
    private void changeTo(ConsumerMode mode) throws Exception {
        for (int i = 0; i < WORKERS; i++) {
            workers.get(i).close();
            workers.set(i, start(mode));
            Worker started = workers.get(i);
            await().atMost(TIMEOUT).until(() -> fed(started) == subjects.size() / WORKERS);
            int before = handled();
            await().atMost(TIMEOUT).until(() -> handled() > before + 2 * subjects.size());
        }
    }

    private void awaitSettled(int consumers) {
        await().atMost(TIMEOUT).untilAsserted(() -> {
            assertThat(workers).allMatch(worker -> fed(worker) == subjects.size() / WORKERS);
            assertThat(management.getConsumerNames(name)).hasSize(consumers);
            assertThat(workers).allMatch(worker -> worker.status().problems().isEmpty());
        });
    }

    private static long fed(Worker worker) {
        return worker.status().lanes().stream()
                .filter(lane -> lane.source() != LaneStatus.Source.NONE)
                .count();
    }

    private Worker start(ConsumerMode mode) throws Exception {
        return Worker.builder(connect()).stream(name)
                .prefix(name)
                .partitions(Partitions.list(subjects))
                .handler((context, message) -> {
                    handled.computeIfAbsent(message.subject(), subject -> new CopyOnWriteArrayList<>())
                            .add(message.sequence());
                    return Outcome.done();
                })
                .settings(QUICK.with(s -> s.consumers = mode))
                .start();
    }

    private Thread publisher(Connection connection) {
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

    private int handled() {
        return handled.values().stream().mapToInt(List::size).sum();
    }

    private List<Long> firstHandlings(String subject) {
        return handled.getOrDefault(subject, List.of()).stream().distinct().toList();
    }

    private Connection connect() throws Exception {
        Connection made = Nats.connect(server.url());
        connections.add(made);
        return made;
    }
}
