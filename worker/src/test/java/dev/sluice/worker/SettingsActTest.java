package dev.sluice.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.LaneStatus.Waiting;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.WorkerSettings.OnGap;
import dev.sluice.worker.WorkerSettings.Order;
import dev.sluice.worker.WorkerSettings.Start;
import dev.sluice.worker.partition.Partitions;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.PurgeOptions;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.SubjectTransform;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each setting of a worker changes what it does; the proofs that the server's {@code EveryKeyActsTest} names. */
@Timeout(120)
class SettingsActTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final WorkerSettings QUICK = WorkerSettings.DEFAULT.with(s -> {
        s.lease = Duration.ofSeconds(5);
        s.handoffTimeout = Duration.ofSeconds(3);
        s.minUpdateInterval = Duration.ofMillis(50);
        s.stabiliser = StabiliserSettings.IMMEDIATE;
    });

    @TempDir
    Path folder;

    private final String name = "s" + UUID.randomUUID().toString().substring(0, 8);
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<String> handled = new CopyOnWriteArrayList<>();
    private MessageHandler handler = (context, message) -> {
        handled.add(new String(message.data(), StandardCharsets.UTF_8));
        return Outcome.done();
    };
    private Connection nats;
    private JetStreamManagement management;

    @BeforeEach
    void connect() throws Exception {
        nats = Nats.connect(NatsServer.shared().url());
        management = nats.jetStreamManagement();
    }

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
        management.deleteStream(name);
        nats.close();
    }

    private void stream(RetentionPolicy retention) throws Exception {
        management.addStream(StreamConfiguration.builder()
                .name(name)
                .subjects(name + ".>")
                .retentionPolicy(retention)
                .storageType(StorageType.Memory)
                .build());
    }

    private Worker start(Partitions partitions, Consumer<WorkerSettings.Draft> change) {
        Worker worker = Worker.builder(nats).stream(name)
                .prefix(name)
                .partitions(partitions)
                .handler((context, message) -> handler.handle(context, message))
                .settings(QUICK.with(change))
                .start();
        open.add(worker);
        return worker;
    }

    private Partitions list(int count) {
        List<String> subjects = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            subjects.add(name + ".p" + i + ".x" + i);
        }
        return Partitions.list(subjects);
    }

    private void publish(String subject, String text) throws Exception {
        nats.jetStream().publish(name + "." + subject, text.getBytes(StandardCharsets.UTF_8));
    }

    private List<ConsumerConfiguration> durables() throws Exception {
        List<ConsumerConfiguration> found = new ArrayList<>();
        for (var consumer : management.getConsumers(name)) {
            found.add(consumer.getConsumerConfiguration());
        }
        return found;
    }

    @Test
    void theConsumerOnTheServerHasTheLimits() throws Exception {
        stream(RetentionPolicy.Limits);
        Worker worker = start(list(1), s -> {
            s.maxAckPending = 64;
            s.maxWaiting = 7;
            s.ackWait = Duration.ofSeconds(9);
            s.inactiveThreshold = Duration.ofSeconds(77);
            s.idFile = folder.resolve("id");
        });
        await().atMost(PATIENCE).until(() -> worker.status().subjects() == 1);
        assertThat(durables()).anySatisfy(consumer -> {
            assertThat(consumer.getMaxAckPending()).isEqualTo(64);
            assertThat(consumer.getMaxPullWaiting()).isEqualTo(7);
            assertThat(consumer.getAckWait()).isEqualTo(Duration.ofSeconds(9));
            assertThat(consumer.getInactiveThreshold()).isEqualTo(Duration.ofSeconds(77));
        });
        assertThat(Files.readString(folder.resolve("id")).strip())
                .as("remembered for the next start")
                .isEqualTo(worker.status().worker());
    }

    @Test
    void consumersPerPartitionAndShardsOfAWorker() throws Exception {
        stream(RetentionPolicy.Limits);
        try (Worker perPartition = start(list(3), s -> s.consumers = ConsumerMode.PER_PARTITION)) {
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(perPartition.status().consumers()).hasSize(3));
        }
        Worker sharded = start(list(3), s -> {
            s.maxSubjects = 2;
            s.shards = 2;
        });
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(sharded.status().subjects()).isEqualTo(3);
            assertThat(durables())
                    .hasSize(2)
                    .allSatisfy(
                            consumer -> assertThat(consumer.getFilterSubjects()).hasSizeLessThanOrEqualTo(2));
        });
    }

    @Test
    void moreSubjectsThanOneConsumerTakesAreAProblemThatIsTold() throws Exception {
        stream(RetentionPolicy.Limits);
        Worker full = start(list(3), s -> s.maxSubjects = 2);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(full.status().problems())
                        .anySatisfy(problem -> assertThat(problem).contains("max_subjects")));
    }

    @Test
    void aPartitionStartsNowAndNotAtTheEarliest() throws Exception {
        stream(RetentionPolicy.Limits);
        publish("p0.x0", "before");
        start(list(1), s -> s.start = Start.NOW);
        publish("p0.x0", "after");
        await().atMost(PATIENCE).until(() -> handled.contains("after"));
        assertThat(handled).containsExactly("after");
    }

    @Test
    void aGapStopsThePartitionUnlessItIsToContinue() throws Exception {
        stream(RetentionPolicy.Limits);
        publish("p0.x0", "one");
        try (Worker worker = start(list(1), s -> {})) {
            await().atMost(PATIENCE).until(() -> handled.contains("one"));
            await().atMost(PATIENCE)
                    .until(() -> worker.status().lanes().getFirst().low() >= 1);
        }
        publish("p0.x0", "gone");
        publish("p0.x0", "two");
        management.purgeStream(name, PurgeOptions.builder().sequence(3).build());
        try (Worker stopped = start(list(1), s -> s.onGap = OnGap.STOP)) {
            await().atMost(PATIENCE)
                    .until(() -> stopped.status().lanes().stream().anyMatch(lane -> lane.waiting() == Waiting.GAP));
        }
        assertThat(handled).containsExactly("one");
        start(list(1), s -> s.onGap = OnGap.CONTINUE);
        await().atMost(PATIENCE).until(() -> handled.contains("two"));
    }

    /** Found long before the ten seconds of the default. */
    @Test
    void newSubjectsOfAPatternAreFoundWithinTheInterval() throws Exception {
        stream(RetentionPolicy.Limits);
        Worker worker = start(Partitions.pattern(name + ".{tool}"), s -> s.discover = Duration.ofMillis(50));
        await().atMost(PATIENCE).until(() -> !worker.status().worker().isEmpty());
        publish("t1", "first");
        await().atMost(PATIENCE).until(() -> handled.contains("first"));
        publish("t2", "second");
        await().atMost(PATIENCE).until(() -> handled.contains("second"));
    }

    /** With order by partition the second would wait for the first for ever. */
    @Test
    void inOrderByKeyOneSubjectDoesNotWaitForAnother() throws Exception {
        management.addStream(StreamConfiguration.builder()
                .name(name)
                .subjects(name + ".*")
                .subjectTransform(SubjectTransform.builder()
                        .source(name + ".*")
                        .destination(name + "h.1.{{partition(1,1)}}.{{wildcard(1)}}")
                        .build())
                .storageType(StorageType.Memory)
                .build());
        CountDownLatch release = new CountDownLatch(1);
        handler = (context, message) -> {
            if (context.subject().endsWith(".slow")) {
                release.await();
            }
            handled.add(context.subject());
            return Outcome.done();
        };
        publish("slow", "1");
        publish("fast", "2");
        try {
            start(Partitions.hashed(name + "h", 1), s -> s.order = Order.KEY);
            await().atMost(PATIENCE).until(() -> handled.stream().anyMatch(subject -> subject.endsWith(".fast")));
        } finally {
            release.countDown();
        }
        await().atMost(PATIENCE).until(() -> handled.stream().anyMatch(subject -> subject.endsWith(".slow")));
    }

    @Test
    void onAWorkQueueMoreSinglesThanAllowedAreJoined() throws Exception {
        stream(RetentionPolicy.WorkQueue);
        try (Worker separate = start(list(3), s -> s.maxSingles = 3)) {
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(separate.status().consumers()).hasSize(3));
        }
        Worker joined = start(list(3), s -> s.maxSingles = 0);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(joined.status().consumers()).hasSize(1));
    }

    /** Many more calls than attempts, and no dead letter: the handler said that it is not the message's fault. */
    @Test
    void aPostponedMessageIsTriedUntilItIsHandledAndAFailedOneForItsAttempts() throws Exception {
        stream(RetentionPolicy.Limits);
        List<String> calls = new CopyOnWriteArrayList<>();
        handler = (context, message) -> {
            String text = new String(message.data(), StandardCharsets.UTF_8);
            calls.add(text + context.attempt());
            if (text.equals("poison")) {
                return Outcome.retry("no");
            }
            return calls.size() < 10 ? Outcome.later("away") : Outcome.done();
        };
        publish("p0.x0", "m");
        publish("p0.x0", "poison");
        Worker worker = start(list(1), s -> {
            s.attempts = 2;
            s.backoff = List.of(Duration.ofMillis(1));
        });
        await().atMost(PATIENCE).until(() -> calls.contains("poison2"));
        assertThat(calls).startsWith("m1", "m1", "m1").containsOnlyOnce("poison1", "poison2");
        await().atMost(PATIENCE).until(() -> worker.status().lanes().getFirst().waiting() == Waiting.DEAD_LETTERS);
    }
}
