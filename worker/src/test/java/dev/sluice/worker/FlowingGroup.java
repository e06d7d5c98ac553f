package dev.sluice.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
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

/** A group of two workers with six partitions on a real server, and a publisher; remembers what was published and handled. */
public final class FlowingGroup implements AutoCloseable {
    public static final Duration TIMEOUT = Duration.ofSeconds(40);
    public static final int WORKERS = 2;
    public static final WorkerSettings QUICK = WorkerSettings.DEFAULT.with(s -> {
        s.minUpdateInterval = Duration.ofMillis(100);
        s.stabiliser = StabiliserSettings.IMMEDIATE;
        s.maxSingles = 0;
    });

    private final String name = "flow-" + System.nanoTime();
    private final List<String> subjects =
            IntStream.range(0, 6).mapToObj(i -> name + ".p" + i).toList();
    private final List<Connection> connections = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();
    private final Map<String, List<Long>> published = new ConcurrentHashMap<>();
    private final Map<String, List<Long>> handled = new ConcurrentHashMap<>();
    private final NatsServer server;
    private final JetStreamManagement management;
    private Thread publisher = Thread.ofVirtual().unstarted(() -> {});
    private volatile boolean publishing = true;

    public FlowingGroup(RetentionPolicy retention, NatsLine line) throws Exception {
        server = NatsServer.shared(line);
        management = connect().jetStreamManagement();
        management.addStream(StreamConfiguration.builder()
                .name(name)
                .subjects(name + ".>")
                .retentionPolicy(retention)
                .storageType(StorageType.Memory)
                .build());
    }

    /** The name of the stream, of the group and of its consumers' prefix. */
    public String name() {
        return name;
    }

    public List<Worker> workers() {
        return workers;
    }

    /** How many partitions each worker has once the group is balanced. */
    public int partitionsOfAWorker() {
        return subjects.size() / WORKERS;
    }

    public int partitions() {
        return subjects.size();
    }

    /** @param before is called before a message counts as handled */
    public Worker start(WorkerSettings settings, MessageHandler before) throws Exception {
        return Worker.builder(connect()).stream(name)
                .prefix(name)
                .partitions(Partitions.list(subjects))
                .handler((context, message) -> {
                    Outcome outcome = before.handle(context, message);
                    handled.computeIfAbsent(message.subject(), subject -> new CopyOnWriteArrayList<>())
                            .add(message.sequence());
                    return outcome;
                })
                .settings(settings)
                .start();
    }

    /** Publishes to all partitions in turns until {@link #awaitAllHandledInOrder}. */
    public void publish() throws Exception {
        Connection connection = connect();
        publisher = Thread.ofVirtual().start(() -> {
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

    public List<String> consumers() throws Exception {
        return management.getConsumerNames(name);
    }

    public int handled() {
        return handled.values().stream().mapToInt(List::size).sum();
    }

    /** Ends the publisher. Repeats do not count. */
    public void awaitAllHandledInOrder() throws InterruptedException {
        stopPublishing();
        assertThat(published).as("partitions with messages").hasSize(subjects.size());
        await().atMost(TIMEOUT)
                .untilAsserted(() -> subjects.forEach(subject ->
                        assertThat(firstHandlings(subject)).as(subject).isEqualTo(published.get(subject))));
    }

    private List<Long> firstHandlings(String subject) {
        return handled.getOrDefault(subject, List.of()).stream().distinct().toList();
    }

    private void stopPublishing() throws InterruptedException {
        publishing = false;
        publisher.join();
    }

    public Connection connect() throws Exception {
        Connection made = Nats.connect(server.url());
        connections.add(made);
        return made;
    }

    @Override
    public void close() throws Exception {
        stopPublishing();
        for (Worker worker : workers) {
            worker.close();
        }
        management.deleteStream(name);
        for (Connection connection : connections) {
            connection.close();
        }
    }
}
