package dev.sluice.outbox;

import static dev.sluice.outbox.kafka.TestTopic.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.jdbc.JdbcCoordinationStore;
import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.kafka.KafkaSinks;
import dev.sluice.outbox.kafka.TestTopic;
import dev.sluice.outbox.relay.RelaySettings;
import dev.sluice.outbox.relay.RelayStatus;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.TestRows;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Another number of partitions, and the global lock, while messages are written. */
class ChangingPartitionsTest {
    private static final String OLD_LOCK = "outbox.task.publish";
    private static final RelaySettings QUICK =
            RelaySettings.DEFAULT.withNodeTimeout(Duration.ofSeconds(5)).withStabiliser(StabiliserSettings.IMMEDIATE);

    private HikariDataSource pool;
    private TestTopic topic;
    private final AtomicInteger written = new AtomicInteger();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicInteger counted = new AtomicInteger(6);

    @BeforeEach
    void open() {
        PostgresServer server = PostgresServer.shared();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.jdbcUrl(server.createDatabase()));
        config.setMaximumPoolSize(40);
        config.setMinimumIdle(0);
        pool = new HikariDataSource(config);
        OutboxSchema.create(pool);
        topic = TestTopic.create(3);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void underLoadNothingIsLostNothingComesTwiceAndKeysStayInOrder() throws Exception {
        Sink sinkOne = KafkaSinks.exactlyOnce(topic.producer());
        Sink sinkTwo = KafkaSinks.exactlyOnce(topic.producer());
        try (OutboxRelay one = builder("one").sink(sinkOne).start();
                OutboxRelay two = builder("two").sink(sinkTwo).start()) {
            awaitPartitions(List.of(one, two), 6);
            Thread writer = Thread.ofVirtual().start(this::write);
            awaitMore(200);
            assertThatThrownBy(() -> one.changePartitions(7))
                    .isInstanceOf(InvalidInputException.class)
                    .hasMessageContaining("by way of 1");

            // 6 to 12: the writers first.
            counted.set(12);
            awaitMore(200);
            one.changePartitions(12);
            awaitPartitions(List.of(one, two), 12);
            awaitMore(200);

            // The flag back to one global lock, and from there to any number.
            two.changePartitions(1);
            awaitPartitions(List.of(one, two), 1);
            counted.set(4);
            awaitMore(200);
            one.changePartitions(4);
            awaitPartitions(List.of(one, two), 4);
            awaitMore(200);

            stop.set(true);
            writer.join();
            await().atMost(Duration.ofSeconds(30)).until(() -> new TestRows(pool, 4).count("outbox_events") == 0);
        }
        assertEachOnceAndInOrder();
    }

    @Test
    void withOnePartitionARelayAndANodeOfTheOldKindExcludeEachOther() throws Exception {
        counted.set(1);
        try (JdbcCoordinationStore old = new JdbcCoordinationStore(pool)) {
            Lease lock =
                    old.openLease(OLD_LOCK, "old-node", Duration.ofSeconds(30)).orElseThrow();
            try (OutboxRelay relay = builder("one")
                    .partitions(1)
                    .globalLock(OLD_LOCK)
                    .sink(KafkaSinks.atLeastOnce(topic.producer()))
                    .start()) {
                awaitPartitions(List.of(relay), 1);
                append(1);
                await().during(Duration.ofSeconds(1))
                        .until(() -> relay.counters().batches() == 0);

                lock.close();
                await().atMost(Duration.ofSeconds(10)).until(() -> new TestRows(pool, 1).count("outbox_events") == 0);
                assertThat(old.openLease(OLD_LOCK, "old-node", Duration.ofSeconds(30)))
                        .as("an old node that comes while the relay works")
                        .isEmpty();
            }
            assertThat(old.openLease(OLD_LOCK, "old-node", Duration.ofSeconds(30)))
                    .isPresent();
        }
    }

    private OutboxRelay.Builder builder(String node) {
        return OutboxRelay.builder(pool).name(topic.name()).nodeId(node).settings(QUICK);
    }

    private static void awaitPartitions(List<OutboxRelay> relays, int partitions) {
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            Set<Integer> owned = new HashSet<>();
            for (OutboxRelay relay : relays) {
                RelayStatus status = relay.status();
                if (status.members().partitions() != partitions
                        || status.members().changing()) {
                    return false;
                }
                status.partitions().forEach(each -> owned.add(each.partition()));
            }
            return owned.size() == partitions;
        });
    }

    private void awaitMore(int messages) {
        int goal = written.get() + messages;
        await().until(() -> written.get() >= goal);
    }

    private void write() {
        try {
            while (!stop.get()) {
                append(5);
                TimeUnit.MILLISECONDS.sleep(5);
            }
        } catch (InterruptedException | SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void append(int messages) throws SQLException {
        Outbox outbox = Outbox.builder().partitions(counted.get()).build();
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < messages; i++) {
                int number = written.incrementAndGet();
                outbox.append(
                        connection,
                        OutboxMessage.to(topic.name())
                                .key("key-" + number % 31)
                                .json(Integer.toString(number))
                                .build());
            }
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    private void assertEachOnceAndInOrder() {
        Map<String, Integer> last = new HashMap<>();
        assertThat(topic.records()).hasSize(written.get()).allSatisfy(record -> {
            int number = Integer.parseInt(text(record.value()));
            assertThat(number).isGreaterThan(last.getOrDefault(text(record.key()), 0));
            last.put(text(record.key()), number);
        });
    }
}
