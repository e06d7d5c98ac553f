package dev.sluice.outbox;

import static dev.sluice.outbox.kafka.TestTopic.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.outbox.kafka.KafkaSinks;
import dev.sluice.outbox.kafka.TestTopic;
import dev.sluice.outbox.relay.RelaySettings;
import dev.sluice.outbox.relay.TestRows;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.Slice;
import dev.sluice.outbox.table.TestDatabase;
import dev.sluice.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Relays on the real PostgreSQL and Kafka. */
class OutboxRelayTest {
    private static final int PARTITIONS = 6;
    private static final RelaySettings QUICK =
            RelaySettings.DEFAULT.withNodeTimeout(Duration.ofSeconds(5)).withStabiliser(StabiliserSettings.IMMEDIATE);

    private HikariDataSource pool;
    private TestRows rows;
    private TestTopic topic;

    @BeforeEach
    void open() {
        PostgresServer server = PostgresServer.shared();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.jdbcUrl(server.createDatabase()));
        config.setMaximumPoolSize(20);
        config.setMinimumIdle(0);
        pool = new HikariDataSource(config);
        OutboxSchema.create(pool);
        rows = new TestRows(pool, PARTITIONS);
        topic = TestTopic.create(3);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void twoRelaysShareTheWorkAndEveryKeyArrivesInOrder() throws Exception {
        try (OutboxRelay one = relay("one");
                OutboxRelay two = relay("two")) {
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> one.status().partitions().size() == 3
                            && two.status().partitions().size() == 3);
            TestDatabase.run(
                    pool,
                    "INSERT INTO outbox_events (partition_id, topic, message_key, payload, headers) VALUES (0, '"
                            + topic.name() + "', 'bad', '', '[]')");
            write(1, 3_000);
            await().atMost(Duration.ofSeconds(20)).until(() -> rows.count("outbox_events") == 0);
            assertThat(one.counters().sent()).isPositive();
            assertThat(two.counters().sent()).isPositive();
            assertThat(one.counters().sent() + two.counters().sent()).isEqualTo(3_000);
            assertThat(one.counters().dead() + two.counters().dead())
                    .as("what has unreadable headers, and stops nothing else")
                    .isOne();
            assertThat(one.status().isHealthy()).isTrue();
        }
        assertInOrder(3_000);
    }

    @Test
    void aRelayThatIsClosedHandsOverAndNothingComesTwice() throws Exception {
        try (OutboxRelay one = relay("one")) {
            write(1, 2_000);
            try (OutboxRelay two = relay("two")) {
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> two.status().partitions().size() == 3);
                write(2_001, 4_000);
            }
            write(4_001, 6_000);
            await().atMost(Duration.ofSeconds(20)).until(() -> rows.count("outbox_events") == 0);
            assertThat(one.status().partitions()).hasSize(6);
        }
        assertInOrder(6_000);
    }

    @Test
    void aNotificationWakesARelayThatWouldLookInTenSeconds() throws Exception {
        try (OutboxRelay relay = relay("one")) {
            await().until(() ->
                    relay.status().listening() && relay.status().partitions().size() == PARTITIONS);
            write(1, 1);
            await().until(() -> rows.count("outbox_events") == 0);
            // Its pauses have grown to seconds when the next row comes.
            long batches = relay.counters().batches();
            await().during(Duration.ofSeconds(2)).until(() -> relay.counters().batches() == batches);
            write(2, 2);
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("NOTIFY sluice_outbox");
            }
            await().atMost(Duration.ofSeconds(1)).until(() -> rows.count("outbox_events") == 0);
        }
    }

    @Test
    void aCommitInTheSameProcessWakesTheRelayWhichOpensWhatWasWrittenClosed() throws Exception {
        SecretKey key = new SecretKeySpec(new byte[32], "AES");
        PayloadCipher cipher = PayloadCipher.aesGcm("k1", Map.of("k1", key));
        try (Outbox outbox = Outbox.builder().cipher(cipher).build();
                OutboxRelay relay =
                        builder("one").wakeUps(outbox).cipher(cipher).start()) {
            await().until(() -> relay.status().partitions().size() == PARTITIONS);
            append(outbox, "a secret");
            await().atMost(Duration.ofSeconds(5)).until(() -> rows.count("outbox_events") == 0);
            assertThat(relay.counters().wakeUps()).isPositive();
        }
        assertThat(topic.records()).singleElement().satisfies(record -> {
            assertThat(text(record.value())).isEqualTo("a secret");
            assertThat(TestTopic.header(record, PayloadCipher.HEADER)).isEmpty();
        });
    }

    @Test
    void aRelayWithoutTheKeyParksAnEncryptedRowAndSendsTheOthers() throws Exception {
        PayloadCipher cipher = PayloadCipher.aesGcm("k1", Map.of("k1", new SecretKeySpec(new byte[32], "AES")));
        try (Outbox outbox = Outbox.builder().cipher(cipher).build();
                OutboxRelay relay = relay("one")) {
            append(outbox, "a secret");
            relay.wake();
            await().atMost(Duration.ofSeconds(10)).until(() -> rows.count("outbox_parked") == 1);
            write(1, 10);
            await().atMost(Duration.ofSeconds(10)).until(() -> rows.count("outbox_events") == 1);
            assertThat(new OutboxTable(pool, Keeping.DELETE).parked(Slice.all()))
                    .singleElement()
                    .satisfies(parked -> assertThat(parked.error())
                            .contains("encrypted with key \"k1\"", "give the relay the keys"));
        }
        assertInOrder(10);
    }

    private void append(Outbox outbox, String payload) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            outbox.append(
                    connection,
                    OutboxMessage.to(topic.name()).key("42").json(payload).build());
            connection.commit();
            connection.setAutoCommit(true);
        }
        outbox.committed();
    }

    private OutboxRelay relay(String node) {
        return builder(node).start();
    }

    private OutboxRelay.Builder builder(String node) {
        return OutboxRelay.builder(pool)
                .name("test")
                .nodeId(node)
                .partitions(PARTITIONS)
                .sink(KafkaSinks.atLeastOnce(topic.producer()))
                .settings(QUICK);
    }

    private void write(int from, int to) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            for (int i = from; i <= to; i++) {
                rows.add(connection, topic.name(), "key-" + i % 97, Integer.toString(i));
            }
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    private void assertInOrder(int count) {
        Map<String, Integer> last = new HashMap<>();
        assertThat(topic.records()).hasSize(count).allSatisfy(record -> {
            int number = Integer.parseInt(text(record.value()));
            assertThat(number).isGreaterThan(last.getOrDefault(text(record.key()), 0));
            last.put(text(record.key()), number);
        });
    }
}
