package dev.sluice.server.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.server.cli.SluiceRun;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import dev.sluice.testkit.servers.KafkaServer;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.testkit.servers.PostgresServer;
import io.nats.client.Nats;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.bson.BsonDocument;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** {@code sluice run --role outbox} on the real PostgreSQL and Kafka. */
@Timeout(120)
class OutboxRoleTest {
    private final String topic = "outbox-" + UUID.randomUUID();
    private final PGSimpleDataSource source = new PGSimpleDataSource();
    private final Outbox outbox =
            Outbox.builder().partitions(2).notifyThrough(source).build();
    private String url;

    @BeforeEach
    void database() {
        url = PostgresServer.shared().jdbcUrl(PostgresServer.shared().createDatabase());
        source.setUrl(url);
    }

    private SluiceConfig config(String more) {
        var yaml = """
                puller: {grpc: {address: ':0'}, health: {port: 0}, metrics: {port: 0}}
                outbox:
                  datasource: {url: '%s', password: '${PW}'}
                  kafka: {bootstrap_servers: '%s', properties: {linger.ms: 0}}
                  node: {id: n1}
                  total: {partitions: 2}
                  task: {scheduler: {publish: {initial_delay: 0}}}
                  %s
                """.formatted(url, KafkaServer.shared().url(), more);
        return accepted(yaml);
    }

    private static SluiceConfig accepted(String yaml) {
        var reading = ConfigFile.parse(yaml, Map.of("PW", "hunter2"));
        assertThat(reading).isInstanceOf(Reading.Accepted.class);
        return ((Reading.Accepted) reading).config();
    }

    private static Node start(SluiceConfig config) throws Exception {
        return Node.start(config, EnumSet.of(Role.OUTBOX), "test");
    }

    private void write(String... keys) throws Exception {
        try (var connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            for (var key : keys) {
                outbox.append(
                        connection,
                        OutboxMessage.to(topic)
                                .key(key)
                                .type("Placed")
                                .json("{}")
                                .build());
            }
            connection.commit();
        }
        outbox.committed();
    }

    private List<ConsumerRecord<String, String>> published(int count) {
        return published(topic, count);
    }

    private static List<ConsumerRecord<String, String>> published(String topic, int count) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", KafkaServer.shared().url(), "auto.offset.reset", "earliest");
        var records = new ArrayList<ConsumerRecord<String, String>>();
        try (var kafka = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            kafka.assign(List.of(new TopicPartition(topic, 0)));
            var end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (records.size() < count && System.nanoTime() - end < 0) {
                kafka.poll(Duration.ofMillis(100)).forEach(records::add);
            }
        }
        assertThat(records).hasSize(count);
        return records;
    }

    private static HttpResponse<String> ask(Node node, String method, String path) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(
                                    URI.create("http://127.0.0.1:" + node.http().adminPort() + path))
                            .method(method, HttpRequest.BodyPublishers.noBody())
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    private static void await(Callable<Boolean> reached) throws Exception {
        var end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!reached.call()) {
            assertThat(System.nanoTime() - end).as("within 30 s").isNegative();
            LockSupport.parkNanos(20_000_000);
        }
    }

    private String queried(String select) throws Exception {
        try (var connection = DriverManager.getConnection(url);
                var statement = connection.createStatement();
                var row = statement.executeQuery(select)) {
            return row.next() ? row.getString(1) : "";
        }
    }

    private void sql(String text) throws Exception {
        try (var connection = DriverManager.getConnection(url);
                var statement = connection.createStatement()) {
            statement.execute(text);
        }
    }

    @Test
    void theDatabaseIsToldWhoComes() throws Exception {
        var h2 = "jdbc:h2:mem:" + topic + ";DB_CLOSE_DELAY=-1";
        DriverManager.getConnection(h2, "owner", "secret").close();
        var yaml = "outbox: {datasource: {url: '" + h2 + "', username: %s, password: %s}}";
        assertThatThrownBy(() -> start(accepted(yaml.formatted("owner", "secret"))))
                .hasMessageContaining("there are no outbox tables");
        assertThatThrownBy(() -> start(accepted(yaml.formatted("other", "secret"))))
                .hasMessageContaining("Wrong user name or password");
        assertThatThrownBy(() -> start(accepted(yaml.formatted("owner", "other"))))
                .hasMessageContaining("Wrong user name or password");
    }

    @Test
    void withoutTablesItSaysHowToMakeThemAndShowsNoPassword() throws Exception {
        assertThatThrownBy(() -> start(config("")))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("sluice outbox init")
                .hasMessageNotContaining("hunter2");
        OutboxSchema.create(source);
        OutboxSchema.migrateBack(source);
        assertThatThrownBy(() -> start(config(""))).hasMessageContaining("sluice outbox migrate");
    }

    @Test
    void whatIsCommittedArrivesInKafkaAndTheNodeTellsHowItFares() throws Exception {
        OutboxSchema.create(source);
        try (var node = start(config("cloud_events: true\n  delivery: exactly-once"))) {
            write("a", "b", "a");
            var records = published(3);
            assertThat(records)
                    .filteredOn(record -> record.key().equals("a"))
                    .hasSize(2)
                    .allSatisfy(record -> assertThat(new String(
                                    record.headers().lastHeader("ce_type").value()))
                            .isEqualTo("Placed"));

            // The partition that has nothing to send may be claimed last.
            await(() -> BsonDocument.parse(ask(node, "GET", "/health").body())
                    .getString("status")
                    .getValue()
                    .equals("healthy"));
            await(() -> node.outbox().relay().counters().sent() == 3);
            var health = BsonDocument.parse(ask(node, "GET", "/health").body());
            assertThat(health.getArray("outbox"))
                    .extracting(part -> part.asDocument().getString("name").getValue() + " "
                            + part.asDocument().getString("status").getValue())
                    .containsExactly("registry healthy", "assignment healthy", "database healthy", "kafka healthy");
            var said = ask(node, "GET", "/admin/v1/outbox").body();
            assertThat(said).doesNotContain("hunter2", url);
            assertThat(BsonDocument.parse(said).getNumber("sent").intValue()).isEqualTo(3);
            assertThat(SluiceRun.of(
                            "status", "--admin", "127.0.0.1:" + node.http().adminPort()))
                    .contains("OUTBOX", "outbox outbox to kafka: n1 owns 2 of 2 partitions", "3 sent");
            assertThat(node.scrape())
                    .contains(
                            "sluice_outbox_processing_latency_seconds_count 3",
                            "sluice_outbox_listening 1.0",
                            "sluice_cluster_members{group=\"outbox/outbox\"} 1.0",
                            "sluice_cluster_claims_total{group=\"outbox/outbox\"} 2.0");
            assertThat(SluiceRun.of("outbox", "migrate", "--jdbc-url", url, "--back"))
                    .contains("relays still run: n1");
        }
        assertThat(queried("SELECT COUNT(*) FROM shedlock WHERE lock_until > timezone('utc', now())"))
                .as("released on shutdown")
                .isEqualTo("0");
    }

    /** Poison goes to the dead rows and comes back by requeue; the number of claims is changed under way. */
    @Test
    void deadMessagesAreListedAndRequeuedAndClaimsChangeWhileItRuns() throws Exception {
        OutboxSchema.create(source);
        try (var node = start(config("dead_letter_topic: " + topic + ".dead"))) {
            try (var connection = DriverManager.getConnection(url)) {
                connection.setAutoCommit(false);
                outbox.append(
                        connection, OutboxMessage.to("no such topic!").key("p").build());
                connection.commit();
            }
            outbox.committed();
            await(() -> ask(node, "GET", "/admin/v1/outbox/dead").body().contains("no such topic!"));
            assertThat(published(topic + ".dead", 1).getFirst().headers().lastHeader("dead-topic"))
                    .isNotNull();
            assertThat(ask(node, "POST", "/admin/v1/outbox/requeue").statusCode())
                    .isEqualTo(400);
            sql("UPDATE outbox_dead SET topic = '" + topic + "'");
            assertThat(ask(node, "POST", "/admin/v1/outbox/requeue?key=p").body())
                    .contains("1");
            published(1);

            assertThat(SluiceRun.of("outbox", "migrate", "--jdbc-url", url, "--global-lock"))
                    .contains("one claim for all");
            write("x");
            published(2);
            assertThat(SluiceRun.of("outbox", "migrate", "--jdbc-url", url, "--partitions", "2"))
                    .contains("2 claims");
            write("y", "z");
            published(4);
            await(() -> SluiceRun.of("outbox", "status", "--jdbc-url", url).contains("0 pending"));
            assertThat(SluiceRun.of("outbox", "status", "--jdbc-url", url)).contains("relays: n1");
        }
    }

    @Test
    void messagesGoToJetStreamToo() throws Exception {
        OutboxSchema.create(source);
        try (var nats = Nats.connect(NatsServer.shared().url())) {
            nats.jetStreamManagement()
                    .addStream(StreamConfiguration.builder()
                            .name(topic)
                            .subjects(topic)
                            .storageType(StorageType.Memory)
                            .build());
            var config = config("sink: nats\n  name: shop\n  nats: {servers: ['"
                    + NatsServer.shared().url() + "']}");
            try (var node = start(config)) {
                write("a", "b");
                await(() -> nats.jetStreamManagement()
                                .getStreamInfo(topic)
                                .getStreamState()
                                .getMsgCount()
                        == 2);
                assertThat(ask(node, "GET", "/admin/v1/outbox").body())
                        .contains("\"sink\": \"nats\"", "\"name\": \"shop\"");
                assertThat(node.outbox().relay().status().members().group()).isEqualTo("outbox/shop");
            }
            nats.jetStreamManagement().deleteStream(topic);
        }
    }

    @Test
    void besideNodesOfTheOldKindItSendsOnlyWithTheirLock() throws Exception {
        OutboxSchema.create(source);
        sql("INSERT INTO shedlock (name, lock_until, locked_at, locked_by) VALUES ('outbox.task',"
                + " timezone('utc', now()) + interval '1 hour', timezone('utc', now()), 'old')");
        try (var node = start(config("global_lock: outbox.task"))) {
            write("a");
            await(() -> ask(node, "GET", "/health").body().contains("holds the lock outbox.task"));
            assertThat(node.outbox().relay().counters().sent()).isZero();
            sql("UPDATE shedlock SET lock_until = timezone('utc', now()) WHERE name = 'outbox.task'");
            published(1);
            assertThat(node.outbox().relay().status().members().partitions())
                    .as("one claim")
                    .isEqualTo(1);
            assertThat(queried("SELECT locked_by FROM shedlock WHERE name = 'outbox.task'"))
                    .contains("n1");
        }
        assertThat(queried("SELECT 1 FROM shedlock WHERE name = 'outbox.task' AND lock_until > timezone('utc', now())"))
                .as("released on shutdown")
                .isEmpty();
    }

    @Test
    void aDatabaseThatGoesAwayIsSaidInHealthAndComesBack() throws Exception {
        OutboxSchema.create(source);
        var config = config("");
        try (var node = start(config)) {
            write("a");
            published(1);
            var name = url.replaceFirst(".*/", "").replaceFirst("\\?.*", "");
            var elsewhere = PostgresServer.shared().url();
            try (var connection = DriverManager.getConnection(elsewhere);
                    var statement = connection.createStatement()) {
                statement.execute("ALTER DATABASE \"" + name + "\" ALLOW_CONNECTIONS false");
                statement.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'");
                await(() ->
                        ask(node, "GET", "/health").body().contains("\"name\": \"database\", \"status\": \"failed\""));
                statement.execute("ALTER DATABASE \"" + name + "\" ALLOW_CONNECTIONS true");
            }
            write("b");
            published(2);
        }
    }
}
