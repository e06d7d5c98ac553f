package dev.sluice.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.model.InvalidInputException;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.stream.StreamMessage;
import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.SubjectTransform;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workers on a real NATS server. */
class WorkerTest {
    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final WorkerSettings QUICK = WorkerSettings.DEFAULT.with(s -> {
        s.lease = Duration.ofSeconds(2);
        s.handoffTimeout = Duration.ofSeconds(3);
        s.minUpdateInterval = Duration.ofMillis(100);
        s.stabiliser = StabiliserSettings.IMMEDIATE;
    });

    private final String name = "t" + NAMES.incrementAndGet() + "-" + System.nanoTime();
    private final String root = name.replace('-', '_');
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Map<String, List<Long>> handled = new ConcurrentHashMap<>();
    private Connection nats;
    private JetStreamManagement management;
    private JetStream jetStream;

    @BeforeEach
    void connect() throws Exception {
        nats = connection();
        management = nats.jetStreamManagement();
        jetStream = nats.jetStream();
    }

    private Connection connection() throws Exception {
        Connection made = Nats.connect(NatsServer.shared().url());
        open.add(made);
        return made;
    }

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private List<String> subjects(int count) {
        List<String> subjects = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            subjects.add(root + ".p" + i);
        }
        return subjects;
    }

    private void stream(RetentionPolicy retention) throws Exception {
        management.addStream(StreamConfiguration.builder()
                .name(name)
                .subjects(root + ".>")
                .retentionPolicy(retention)
                .storageType(StorageType.Memory)
                .build());
    }

    private Worker worker(int partitions, WorkerSettings settings) throws Exception {
        Worker worker = Worker.builder(connection()).stream(name)
                .prefix(name)
                .partitions(Partitions.list(subjects(partitions)))
                .handler((context, message) -> {
                    handled.computeIfAbsent(context.partition(), p -> new CopyOnWriteArrayList<>())
                            .add(message.sequence());
                    return Outcome.done();
                })
                .settings(settings)
                .start();
        open.add(worker);
        return worker;
    }

    private void publish(int partitions, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            jetStream.publish(root + ".p" + (i % partitions), ("m" + i).getBytes());
        }
    }

    private int total() {
        return handled.values().stream().mapToInt(List::size).sum();
    }

    @ParameterizedTest
    @CsvSource({
        "Limits, PER_WORKER", "Limits, PER_PARTITION",
        "WorkQueue, PER_WORKER", "WorkQueue, PER_PARTITION",
        "Interest, PER_WORKER", "Interest, PER_PARTITION"
    })
    void handlesBacklogAndTailInOrderWhileWorkersComeAndGo(RetentionPolicy retention, WorkerSettings.ConsumerMode mode)
            throws Exception {
        stream(retention);
        WorkerSettings settings = QUICK.with(s -> s.consumers = mode);
        boolean interest = retention == RetentionPolicy.Interest;
        if (!interest) {
            publish(8, 0, 100);
        }
        Worker first = worker(8, settings);
        await().atMost(Duration.ofSeconds(20)).until(() -> fed(first) == 8);
        publish(8, 100, 200);
        int expected = interest ? 100 : 200;
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(total()).isEqualTo(expected));
        Worker second = worker(8, settings);
        await().atMost(Duration.ofSeconds(20)).until(() -> fed(first) == 4 && fed(second) == 4);
        publish(8, 200, 300);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(total()).isEqualTo(expected + 100));
        first.close();
        publish(8, 300, 400);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(total()).isEqualTo(expected + 200));
        handled.values().forEach(sequences -> assertThat(sequences).isSorted().doesNotHaveDuplicates());
        if (mode == WorkerSettings.ConsumerMode.PER_WORKER && retention == RetentionPolicy.Limits) {
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(
                            () -> assertThat(management.getConsumerNames(name)).hasSize(1));
        }
    }

    private static long fed(Worker worker) {
        return worker.status().lanes().stream()
                .filter(lane -> lane.source() != LaneStatus.Source.NONE)
                .count();
    }

    @Test
    void oneDurableConsumerServesAllPartitionsOfAWorker() throws Exception {
        stream(RetentionPolicy.Limits);
        Worker worker = worker(80, QUICK);
        await().atMost(Duration.ofSeconds(20)).until(() -> worker.status().subjects() == 80);
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(
                        () -> assertThat(management.getConsumerNames(name)).hasSize(1));
    }

    /** Four partitions whose receiver is away hold as many messages as the worker may have at all. */
    @Test
    void partitionsThatWaitDoNotStopTheOthersOfTheirWorker() throws Exception {
        stream(RetentionPolicy.Limits);
        Worker worker = start(builder()
                .partitions(Partitions.list(subjects(8)))
                .settings(QUICK.with(s -> s.maxAckPending = 100))
                .handler((context, message) -> message.subject().matches(".*p[0-3]")
                        ? Outcome.later("the receiver is away")
                        : record(message)));
        await().atMost(Duration.ofSeconds(20)).until(() -> worker.status().subjects() == 8);
        publish(4, 0, 100);
        for (int i = 0; i < 50; i++) {
            jetStream.publish(root + ".p7", new byte[0]);
        }
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(total()).isEqualTo(50));
    }

    /** The durable consumer would begin again where the new partition begins: at the stream's first message. */
    @Test
    void aNewPartitionDoesNotMakeTheOthersReadTheStreamAgain() throws Exception {
        stream(RetentionPolicy.Limits);
        Worker worker = start(builder()
                .partitions(Partitions.pattern(root + ".{id}"))
                .settings(QUICK.with(s -> {
                    s.maxAckPending = 16;
                    s.discover = Duration.ofMillis(200);
                }))
                .handler((context, message) -> record(message)));
        publish(1, 0, 1_000);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(total()).isEqualTo(1_000));
        await().atMost(Duration.ofSeconds(20)).until(() -> worker.status().subjects() == 1);
        long received = worker.counters().messages.sum();
        jetStream.publish(root + ".new", new byte[0]);
        await().atMost(Duration.ofSeconds(20)).until(() -> worker.status().subjects() == 2);
        publish(1, 0, 1);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(total()).isEqualTo(1_002));
        assertThat(worker.counters().messages.sum() - received).isLessThan(200);
    }

    /** On a work queue an acknowledgement deletes the message: workers would delete the backlog without handling it. */
    @Test
    void aWorkQueueCannotBeStartedFromNow() throws Exception {
        stream(RetentionPolicy.WorkQueue);
        assertThatThrownBy(() -> worker(2, QUICK.with(s -> s.start = WorkerSettings.Start.NOW)))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("is a work queue")
                .hasMessageContaining("start: earliest");
    }

    @Test
    void aMissingSubjectTransformIsAProblemUntilItIsSet() throws Exception {
        stream(RetentionPolicy.Limits);
        Worker worker = start(builder()
                .partitions(Partitions.hashed(root, 4))
                .settings(QUICK.with(s -> s.discover = Duration.ofMillis(100)))
                .handler((context, message) -> record(message)));
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(worker.status().problems())
                        .singleElement()
                        .asString()
                        .contains("has no subject transform", "nats stream edit"));
        StreamConfiguration configured = management.getStreamInfo(name).getConfiguration();
        management.updateStream(StreamConfiguration.builder(configured)
                .subjectTransform(new SubjectTransform(root + ".*", root + ".4.{{partition(4,1)}}.{{wildcard(1)}}"))
                .build());
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(worker.status().problems()).isEmpty());
        publish(8, 0, 20);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(total()).isEqualTo(20));
    }

    private WorkerBuilder builder() throws Exception {
        return Worker.builder(connection()).stream(name).prefix(name);
    }

    private Worker start(WorkerBuilder builder) {
        Worker worker = builder.start();
        open.add(worker);
        return worker;
    }

    private Outcome record(StreamMessage message) {
        handled.computeIfAbsent(message.subject(), p -> new CopyOnWriteArrayList<>())
                .add(message.sequence());
        return Outcome.done();
    }
}
