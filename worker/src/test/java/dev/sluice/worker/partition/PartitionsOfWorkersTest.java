package dev.sluice.worker.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.nats.NatsCoordinationStore;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerBuilder;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.admin.GroupReport;
import dev.sluice.worker.admin.PartitionChange;
import dev.sluice.worker.admin.WorkerAdmin;
import dev.sluice.worker.deadletter.DeadLetterStream;
import dev.sluice.worker.deadletter.JetStreamDeadLetters;
import dev.sluice.worker.deadletter.LetterPage;
import dev.sluice.worker.deadletter.RetryOutcome;
import dev.sluice.worker.stream.NatsMessageStream;
import dev.sluice.worker.stream.StreamMessage;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.SubjectTransform;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Running workers follow the partitions of their group; their dead letters can be retried. */
final class PartitionsOfWorkersTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration AT_MOST = Duration.ofSeconds(30);
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final String name = "pow" + NUMBERS.incrementAndGet();
    private final WorkerSettings settings = WorkerSettings.DEFAULT.with(draft -> {
        draft.lease = Duration.ofSeconds(2);
        draft.handoffTimeout = Duration.ofSeconds(2);
        draft.minUpdateInterval = Duration.ofMillis(100);
        draft.discover = Duration.ofMillis(200);
        draft.stabiliser = StabiliserSettings.IMMEDIATE;
        draft.backoff = List.of(Duration.ofMillis(20));
        draft.deadLetters = name + "-dlq";
    });
    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private final List<AutoCloseable> open = new ArrayList<>();
    private Connection connection;

    @BeforeEach
    void connect() throws Exception {
        connection = Nats.connect(Options.builder()
                .server(NatsServer.shared().url())
                .maxReconnects(-1)
                .build());
        open.add(connection);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable last : open.reversed()) {
            last.close();
        }
    }

    private JetStreamManagement stream(String... subjects) throws Exception {
        JetStreamManagement management = connection.jetStreamManagement();
        management.addStream(StreamConfiguration.builder()
                .name(name)
                .subjects(subjects)
                .storageType(StorageType.Memory)
                .build());
        open.add(() -> management.deleteStream(name));
        return management;
    }

    private void publish(String... subjects) throws Exception {
        for (String subject : subjects) {
            connection.jetStream().publish(subject, subject.getBytes(UTF_8));
        }
    }

    private Worker worker(Partitions partitions) {
        Worker worker = Worker.builder(connection).stream(name)
                .prefix(name)
                .partitions(partitions)
                .handler((context, message) -> handle(message))
                .settings(settings)
                .start();
        open.add(worker);
        return worker;
    }

    private Outcome handle(StreamMessage message) {
        if (failing.contains(message.subject())) {
            return Outcome.retry("told to fail");
        }
        handled.add(message.subject());
        return Outcome.done();
    }

    private WorkerAdmin admin() {
        NatsMessageStream stream = new NatsMessageStream(connection, name, TIMEOUT);
        open.add(stream);
        return new WorkerAdmin(
                NatsCoordinationStore.over(connection, WorkerBuilder.DEFAULT_BUCKET, 1, TIMEOUT),
                name,
                stream,
                new JetStreamDeadLetters(connection, DeadLetterStream.of(name + "-dlq"), name, TIMEOUT));
    }

    private void awaitHandled(String... subjects) {
        await().atMost(AT_MOST).untilAsserted(() -> assertThat(handled).containsExactlyInAnyOrder(subjects));
    }

    @Test
    void newSubjectsOfAPatternAreHandledFromTheirFirstMessage() throws Exception {
        stream(name + ".>");
        publish(name + ".a", name + ".b.x");
        worker(Partitions.pattern(name + ".{tool}"));
        awaitHandled(name + ".a");
        publish(name + ".c", name + ".c", name + ".a");
        awaitHandled(name + ".a", name + ".c", name + ".c", name + ".a");
    }

    @Test
    void aChangedListIsFollowedAndAnOldConfigurationRefused() throws Exception {
        stream(name + ".>");
        Partitions before = Partitions.list(List.of(name + ".a", name + ".b"));
        Partitions after = Partitions.list(List.of(name + ".b", name + ".c"));
        worker(before);
        publish(name + ".a", name + ".b", name + ".c");
        awaitHandled(name + ".a", name + ".b");

        WorkerAdmin admin = admin();
        assertThatThrownBy(() -> worker(after)).isInstanceOf(PartitionsDifferException.class);
        admin.changePartitions(after, settings.consumers());
        awaitHandled(name + ".a", name + ".b", name + ".c");
        assertThatThrownBy(() -> worker(before)).isInstanceOf(PartitionsDifferException.class);
        worker(after);
        publish(name + ".a", name + ".c");
        awaitHandled(name + ".a", name + ".b", name + ".c", name + ".c");
        await().atMost(AT_MOST)
                .untilAsserted(() -> assertThat(admin.status().partitions())
                        .extracting(GroupReport.Owned::owner)
                        .doesNotContain(""));
        assertThat(admin.status().workers()).hasSize(2);
    }

    @Test
    void aDeadLetterIsKeptAndRetried() throws Exception {
        stream(name + ".>");
        String bad = name + ".bad";
        failing.add(bad);
        worker(Partitions.list(List.of(bad, name + ".good")));
        publish(bad, name + ".good");
        WorkerAdmin admin = admin();
        await().atMost(AT_MOST)
                .untilAsserted(() ->
                        assertThat(admin.deadLetters().list(0, 10).letters()).hasSize(1));
        LetterPage.Summary letter = admin.deadLetters().list(0, 10).letters().getFirst();
        assertThat(letter.subject()).isEqualTo(bad);
        assertThat(letter.reason()).contains("told to fail");
        assertThat(letter.attempts()).isEqualTo(settings.attempts());
        failing.clear();
        assertThat(admin.retry(letter.id())).isInstanceOf(RetryOutcome.Retried.class);
        awaitHandled(bad, name + ".good");
        assertThat(admin.deadLetters().list(0, 10).letters()).isEmpty();
    }

    @Test
    void oneWildcardServesAStreamWithoutOtherSubjects() throws Exception {
        String[] subjects = {name + ".a", name + ".b", name + ".c"};
        JetStreamManagement management = stream(subjects);
        worker(Partitions.list(List.of(subjects)));
        publish(subjects);
        awaitHandled(subjects);
        await().atMost(AT_MOST)
                .untilAsserted(() -> assertThat(management.getConsumers(name))
                        .singleElement()
                        .extracting(ConsumerInfo::getConsumerConfiguration)
                        .satisfies(durable ->
                                assertThat(durable.getFilterSubjects()).containsExactly(name + ".>")));
        publish(subjects);
        await().atMost(AT_MOST).until(() -> handled.size() == 6);
    }

    @Test
    @Tag("soak")
    void aResizeOfTheSlotsLosesNothing() throws Exception {
        JetStreamManagement management = stream(name + ".*");
        resize(management, 2);
        worker(Partitions.hashed(name, 2));
        List<String> published = new ArrayList<>();
        publishKeys(0, 20, published);
        WorkerAdmin admin = admin();
        PartitionChange change = admin.changePartitions(Partitions.hashed(name, 3), settings.consumers());
        assertThat(change.closing()).isEqualTo(2);
        assertThat(change.warnings()).singleElement().asString().contains("{{partition(3,1)}}");
        publishKeys(20, 40, published);
        resize(management, 3);
        publishKeys(40, 60, published);
        await().atMost(AT_MOST.multipliedBy(3))
                .untilAsserted(() -> assertThat(admin.partitions().open()).hasSize(3));
        publishKeys(60, 80, published);
        await().atMost(AT_MOST.multipliedBy(3))
                .untilAsserted(() -> assertThat(handled).hasSize(80));
        assertThat(handled)
                .extracting(subject -> subject.substring(subject.lastIndexOf('.') + 1))
                .containsExactlyInAnyOrderElementsOf(published);
    }

    private void publishKeys(int from, int to, List<String> published) throws Exception {
        for (int i = from; i < to; i++) {
            publish(name + ".k" + i);
            published.add("k" + i);
        }
    }

    private void resize(JetStreamManagement management, int slots) throws Exception {
        String destination = name + "." + slots + ".{{partition(" + slots + ",1)}}.{{wildcard(1)}}";
        management.updateStream(
                StreamConfiguration.builder(management.getStreamInfo(name).getConfiguration())
                        .subjectTransform(new SubjectTransform(name + ".*", destination))
                        .build());
    }
}
