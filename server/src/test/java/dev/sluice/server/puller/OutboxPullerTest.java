package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.capture.TenantRule;
import dev.sluice.client.ConsumerOptions;
import dev.sluice.client.EventConsumer;
import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.outbox.log.OutboxSourceSettings;
import dev.sluice.outbox.log.OutboxSourceSettings.Pauses;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.run.Loops;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An outbox on H2 as a backend of the Puller: what is written reaches consumers, and health says how it stands. */
@Timeout(60)
class OutboxPullerTest {
    private static final String DATABASE = "jdbc:h2:mem:outbox_puller;DB_CLOSE_DELAY=-1";
    private static final String URL = DATABASE + ";USER=sa;PASSWORD=sesame";

    @TempDir
    Path data;

    private final JdbcDataSource database = new JdbcDataSource();
    private final Outbox outbox = Outbox.builder().build();

    @BeforeEach
    void makeTables() throws SQLException {
        database.setURL(DATABASE);
        database.setUser("sa");
        database.setPassword("sesame");
        try (var connection = database.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("DROP ALL OBJECTS");
        }
        OutboxSchema.create(database);
    }

    private Node start(String name) throws IOException {
        return Node.start(config(name), Set.of(Role.PULLER), "test");
    }

    private SluiceConfig config(String name) {
        var yaml = """
                storage: {backends: [{name: shop, type: outbox, connection: '${SHOP_DB}'}]}
                puller:
                  grpc: {address: ':0'}
                  health: {port: 0}
                  metrics: {port: 0}
                  backends: [{name: shop, tenant: {field: payload.org}}]
                  buffer: {path: '%s', min_free: 1MiB, batch_size: 50}
                  consumer: {catch_up_threshold: 10}
                cluster: {node_id: %s, lease_ttl: 1s}
                """.formatted(data.resolve(name), name);
        return switch (ConfigFile.parse(yaml, Map.of("SHOP_DB", URL))) {
            case Reading.Accepted accepted -> accepted.config();
            case Reading.Refused refused -> throw new AssertionError(refused.problems() + "\n" + yaml);
        };
    }

    private void write(int from, int to) throws SQLException {
        try (var connection = database.getConnection()) {
            connection.setAutoCommit(false);
            outbox.append(
                    connection,
                    IntStream.range(from, to)
                            .mapToObj(k -> OutboxMessage.to("orders")
                                    .key("k" + k % 7)
                                    .type("Counted")
                                    .json("{\"n\": " + k + ", \"org\": \"acme\"}")
                                    .build())
                            .toList());
            connection.commit();
        }
    }

    private static EventConsumer consumer(Node node, Queue<Event> into, boolean coalescing) {
        var options = EventConsumer.options()
                .address("127.0.0.1:" + node.puller().port())
                .json()
                .start(ConsumerOptions.Start.OLDEST);
        return (coalescing ? options.coalesceOnCatchUp() : options).start(into::add);
    }

    private static List<Integer> numbers(Queue<Event> events) {
        return events.stream()
                .map(event -> org.bson.BsonDocument.parse(
                                event.getFullDocument().toStringUtf8())
                        .getDocument("payload")
                        .getInt32("n")
                        .getValue())
                .toList();
    }

    @Test
    void messagesReachConsumersInOrderAndNoneIsCoalescedAway() throws Exception {
        write(0, 200);
        var live = new ConcurrentLinkedQueue<Event>();
        var behind = new ConcurrentLinkedQueue<Event>();
        try (var node = start("left");
                var first = consumer(node, live, false)) {
            await("the backlog", () -> live.size() == 200);
            write(200, 300);
            await("all", () -> live.size() == 300);
            assertThat(numbers(live)).isEqualTo(IntStream.range(0, 300).boxed().toList());
            assertThat(live).allMatch(event -> event.getTenant().equals("acme"));
            try (var second = consumer(node, behind, true)) {
                await("all, though far behind", () -> behind.size() >= 300);
            }
            assertThat(numbers(behind)).as("messages are not states").isEqualTo(numbers(live));
            assertThat(node.puller().backends().getFirst().capture().status().isHealthy())
                    .isTrue();
            assertThat(first.marker()).isNotEmpty();
        }
    }

    @Test
    void oneOfTwoPullersReadsTheOtherSaysThatItWaitsAndTakesOver() throws Exception {
        var got = new ConcurrentLinkedQueue<Event>();
        var one = start("left");
        await(
                "it reads",
                () -> one.puller().backends().getFirst().capture().status().isHealthy());
        try (var two = start("right");
                var consumer = consumer(two, got, false)) {
            await("it waits", () -> health(two).contains("standby"));
            assertThat(health(two)).contains("one Puller at a time, now left").doesNotContain("sesame");
            write(0, 10);
            await("read", () -> one.puller().backends().getFirst().log().events() == 10);
            one.close();
            write(10, 20);
            await("taken over", () -> got.size() == 10);
            assertThat(numbers(got)).isEqualTo(IntStream.range(10, 20).boxed().toList());
            assertThat(consumer.marker()).isNotEmpty();
        } finally {
            one.close();
        }
    }

    /** The pause between two looks is an hour: only the signal of the writer in this process ends it. */
    @Test
    void aWriterInThisProcessDoesNotWaitForTheNextLookAtTheTable() throws Exception {
        var hour = Duration.ofHours(1);
        var polled = new OutboxSourceSettings(
                "left.shop", Duration.ofSeconds(30), 100, new TenantRule.None(), new Pauses(hour, hour));
        try (var pipeline = BackendPipeline.open(
                        reading(polled), new PullerMeters(new SimpleMeterRegistry()), new Loops());
                var signal = outbox.onCommitted(pipeline::wake)) {
            assertThat(signal).isNotNull();
            pipeline.start();
            for (var written = 1; written <= 3; written++) {
                var all = written;
                write(written - 1, written);
                outbox.committed();
                await("message " + all, () -> pipeline.log().events() == all);
            }
        }
    }

    private BackendSettings reading(OutboxSourceSettings outboxSettings) {
        var settings = BackendSettings.of(config("left")).getFirst();
        return new BackendSettings(
                settings.name(),
                settings.puller(),
                settings.path(),
                settings.minFree(),
                loops -> new OutboxBackend(new ConnectionString(URL), outboxSettings, loops),
                settings.messages(),
                settings.capture(),
                settings.commit(),
                settings.retention(),
                settings.mirror());
    }

    private static String health(Node node) {
        return new PullerAnswers(node.puller()).status().toJson();
    }
}
