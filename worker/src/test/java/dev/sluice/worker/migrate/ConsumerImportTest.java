package dev.sluice.worker.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.model.InvalidInputException;
import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.LaneStatus;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.stream.NatsMessageStream;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers go on where the consumers of another program stand. */
final class ConsumerImportTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String STREAM = "IMPORTED";
    private static final Partitions PARTITIONS = Partitions.list(List.of("imp.a", "imp.b", "imp.c", "imp.d"));
    private static final WorkerSettings QUICK = WorkerSettings.DEFAULT.with(draft -> {
        draft.stabiliser = StabiliserSettings.IMMEDIATE;
        draft.minUpdateInterval = Duration.ofMillis(100);
    });

    private final CoordinationStore store = new InMemoryCoordinationStore();
    private @Nullable Connection connection;
    private @Nullable NatsMessageStream messages;

    private ConsumerImport open(NatsLine line, RetentionPolicy retention) throws Exception {
        connection = Nats.connect(NatsServer.shared(line).url());
        management()
                .addStream(StreamConfiguration.builder()
                        .name(STREAM)
                        .subjects("imp.>")
                        .retentionPolicy(retention)
                        .storageType(StorageType.Memory)
                        .build());
        messages = new NatsMessageStream(connection, STREAM, TIMEOUT);
        return new ConsumerImport(store, "imported", messages);
    }

    @AfterEach
    void close() throws Exception {
        management().deleteStream(STREAM);
        Objects.requireNonNull(messages).close();
        Objects.requireNonNull(connection).close();
    }

    private JetStreamManagement management() throws Exception {
        return Objects.requireNonNull(connection).jetStreamManagement();
    }

    private void publishToAll() throws Exception {
        for (String subject : List.of("imp.a", "imp.b", "imp.c", "imp.d")) {
            Objects.requireNonNull(connection).jetStream().publish(subject, new byte[0]);
        }
    }

    private void consumer(String name, String filter, DeliverPolicy from) throws Exception {
        management()
                .createConsumer(
                        STREAM,
                        ConsumerConfiguration.builder()
                                .durable(name)
                                .filterSubject(filter)
                                .deliverPolicy(from)
                                .build());
    }

    private void acknowledge(String name, String filter, int count) throws Exception {
        var pull = Objects.requireNonNull(connection)
                .jetStream()
                .subscribe(filter, PullSubscribeOptions.fastBind(STREAM, name));
        for (Message message : pull.fetch(count, TIMEOUT)) {
            message.ackSync(TIMEOUT);
        }
        pull.unsubscribe();
    }

    @ParameterizedTest
    @EnumSource(
            value = NatsLine.class,
            names = {"V2_10", "NEWEST"})
    void workersHandleWhatTheOtherProgramHasNot(NatsLine line) throws Exception {
        ConsumerImport imports = open(line, RetentionPolicy.Limits);
        consumer("billing-a", "imp.a", DeliverPolicy.All);
        consumer("billing-b", "imp.b", DeliverPolicy.All);
        publishToAll();
        publishToAll();
        consumer("billing-c", "imp.c", DeliverPolicy.New);
        publishToAll();
        acknowledge("billing-a", "imp.a", 2);
        acknowledge("billing-b", "imp.b", 3);

        ImportPlan plan = imports.plan(PARTITIONS, "billing-{partition}");
        assertThat(plan.problems()).isEmpty();
        assertThat(plan.without()).containsExactly("imp.d");
        assertThat(plan.starts().get("imp.a")).isEqualTo(new ImportPlan.Start("billing-a", 5, 5));
        assertThat(plan.starts().get("imp.b")).isEqualTo(new ImportPlan.Start("billing-b", 10, 12));
        // 2.10 reports no ack floor before the first acknowledgement: then the partition begins at its first message.
        boolean reported = line != NatsLine.V2_10;
        assertThat(plan.starts().get("imp.c"))
                .extracting(ImportPlan.Start::after)
                .isEqualTo(reported ? 8L : 0L);
        imports.apply(plan, 1_000);
        assertThatThrownBy(() -> imports.apply(plan, 1_001))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("has positions already");

        publishToAll();
        List<Long> expected = new ArrayList<>(List.of(9L, 13L, 14L, 11L, 15L, 4L, 8L, 12L, 16L));
        expected.addAll(reported ? List.of() : List.of(3L, 7L));
        List<Long> handled = new CopyOnWriteArrayList<>();
        try (Worker worker = worker(PARTITIONS, handled)) {
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(handled).containsExactlyInAnyOrderElementsOf(expected));
            assertThat(worker.status().problems()).isEmpty();
        }
    }

    private Worker worker(Partitions partitions, List<Long> handled) {
        return Worker.builder(Objects.requireNonNull(connection)).stream(STREAM)
                .prefix("imported")
                .partitions(partitions)
                .store(store)
                .settings(QUICK)
                .handler((context, message) -> {
                    handled.add(message.sequence());
                    return Outcome.done();
                })
                .start();
    }

    /** The other program's consumers keep the messages until the workers have theirs, and are deleted then. */
    @Test
    void nothingIsLostOnAnInterestStream() throws Exception {
        Partitions partitions = Partitions.list(List.of("imp.a", "imp.b"));
        ConsumerImport imports = open(NatsLine.NEWEST, RetentionPolicy.Interest);
        consumer("billing-a", "imp.a", DeliverPolicy.All);
        consumer("billing-b", "imp.b", DeliverPolicy.All);
        publishToAll();
        publishToAll();
        acknowledge("billing-a", "imp.a", 1);
        imports.apply(imports.plan(partitions, "billing-{partition}"), 1_000);
        publishToAll();
        List<Long> handled = new CopyOnWriteArrayList<>();
        try (Worker worker = worker(partitions, handled)) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> worker.status().lanes().stream()
                                    .filter(lane -> lane.source() != LaneStatus.Source.NONE)
                                    .count()
                            == 2);
            management().deleteConsumer(STREAM, "billing-a");
            management().deleteConsumer(STREAM, "billing-b");
            publishToAll();
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(handled).containsExactlyInAnyOrder(2L, 5L, 6L, 9L, 10L, 13L, 14L));
        }
    }

    @Test
    void consumersThatAreNotOnePerPartitionAreRefused() throws Exception {
        ConsumerImport imports = open(NatsLine.NEWEST, RetentionPolicy.Limits);
        consumer("billing-a", "imp.a", DeliverPolicy.All);
        consumer("billing-a2", "imp.a", DeliverPolicy.All);
        consumer("billing-all", "imp.>", DeliverPolicy.All);
        consumer("other", "imp.>", DeliverPolicy.All);
        ImportPlan plan = imports.plan(PARTITIONS, "billing-{partition}");
        assertThat(plan.problems())
                .hasSize(2)
                .anyMatch(problem -> problem.contains("both filter imp.a"))
                .anyMatch(problem -> problem.contains("billing-all filters [imp.>]"));
        assertThatThrownBy(() -> imports.apply(plan, 1)).isInstanceOf(InvalidInputException.class);
        assertThat(imports.plan(PARTITIONS, "nobody-{partition}").problems())
                .singleElement()
                .asString()
                .contains("no consumer");
        assertThatThrownBy(() -> imports.plan(PARTITIONS, "billing-*")).isInstanceOf(InvalidInputException.class);
    }

    @Test
    void aProgramThatStillRunsIsNoticed() throws Exception {
        ConsumerImport imports = open(NatsLine.NEWEST, RetentionPolicy.Limits);
        consumer("billing-a", "imp.a", DeliverPolicy.All);
        publishToAll();
        ImportPlan plan = imports.plan(Partitions.pattern("imp.{x}"), "billing-{partition}");
        acknowledge("billing-a", "imp.a", 1);
        assertThatThrownBy(() -> imports.apply(plan, 1))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("stop the other program");
        imports.apply(imports.plan(Partitions.pattern("imp.{x}"), "billing-{partition}"), 1);
    }

    @Test
    void aConsumerThatSomebodyPullsFromIsRefused() throws Exception {
        ConsumerImport imports = open(NatsLine.NEWEST, RetentionPolicy.Limits);
        consumer("billing-a", "imp.a", DeliverPolicy.All);
        var pull = Objects.requireNonNull(connection)
                .jetStream()
                .subscribe("imp.a", PullSubscribeOptions.fastBind(STREAM, "billing-a"));
        pull.pullExpiresIn(1, TIMEOUT);
        assertThat(imports.plan(PARTITIONS, "billing-{partition}").problems())
                .containsExactly("a program uses consumers billing-a: stop it first");
        pull.unsubscribe();
        assertThat(imports.plan(PARTITIONS, "billing-{partition}").problems()).isEmpty();
    }

    @Test
    void aConsumerWithoutAcknowledgementsSaysNothingOfWhatWasHandled() throws Exception {
        ConsumerImport imports = open(NatsLine.NEWEST, RetentionPolicy.Limits);
        management()
                .createConsumer(
                        STREAM,
                        ConsumerConfiguration.builder()
                                .durable("billing-a")
                                .filterSubject("imp.a")
                                .ackPolicy(AckPolicy.None)
                                .build());
        assertThat(imports.plan(PARTITIONS, "billing-{partition}").problems())
                .singleElement()
                .asString()
                .contains("billing-a takes no acknowledgements");
    }

    @Test
    void aWorkQueueHasNothingToImport() throws Exception {
        ConsumerImport imports = open(NatsLine.NEWEST, RetentionPolicy.WorkQueue);
        consumer("billing-a", "imp.a", DeliverPolicy.All);
        assertThat(imports.plan(PARTITIONS, "billing-{partition}").problems())
                .singleElement()
                .asString()
                .contains("work queue");
    }
}
