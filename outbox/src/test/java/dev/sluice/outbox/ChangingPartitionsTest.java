package dev.sluice.outbox;

import static dev.sluice.outbox.kafka.TestTopic.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.coordinate.GroupControl;
import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.jdbc.JdbcCoordinationStore;
import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.kafka.KafkaSinks;
import dev.sluice.outbox.kafka.TestTopic;
import dev.sluice.outbox.relay.RelaySettings;
import dev.sluice.outbox.relay.RelayStatus;
import dev.sluice.outbox.relay.SendOutcome;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.TestRows;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.outbox.table.Row;
import dev.sluice.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Another number of partitions, and the global lock, while messages are written. */
class ChangingPartitionsTest {
    private static final String OLD_LOCK = "outbox.task.publish";
    private static final RelaySettings QUICK =
            RelaySettings.DEFAULT.withNodeTimeout(Duration.ofSeconds(5)).withStabiliser(StabiliserSettings.IMMEDIATE);

    private HikariDataSource pool;
    private final String name = "changing-" + UUID.randomUUID();
    private String destination = "orders";
    private final AtomicInteger written = new AtomicInteger();
    private final List<Row> sent = Collections.synchronizedList(new ArrayList<>());
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
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void underLoadNothingIsLostNothingComesTwiceAndKeysStayInOrder() throws Exception {
        Thread writer = Thread.ofVirtual().start(this::write);
        try (Relays six = new Relays(6)) {
            six.await(6);
            awaitMore(200);
            assertThatThrownBy(() -> six.one.changePartitions(7))
                    .isInstanceOf(InvalidInputException.class)
                    .hasMessageContaining("by way of 1");
            assertThatThrownBy(() -> six.one.changePartitions(12))
                    .isInstanceOf(InvalidInputException.class)
                    .hasMessageContaining("no multiple");
            // 6 to 12: the writers first.
            counted.set(12);
            awaitMore(200);
        }
        try (Relays twelve = new Relays(12)) {
            twelve.await(6);
            twelve.one.changePartitions(12);
            twelve.await(12);
            awaitMore(200);
            // 12 to 6: the claims first.
            twelve.one.changePartitions(6);
            twelve.await(6);
            counted.set(6);
            awaitMore(200);
            // To any number by way of the global lock.
            twelve.two.changePartitions(1);
            twelve.await(1);
            counted.set(4);
            awaitMore(200);
        }
        try (Relays four = new Relays(4)) {
            four.await(1);
            four.one.changePartitions(4);
            four.await(4);
            awaitMore(200);
            stop.set(true);
            writer.join();
            awaitEmpty();
        }
        assertEachOnceAndInOrder(sent, Row::key, row -> Integer.parseInt(text(row.payload())));
    }

    private void awaitEmpty() {
        await().atMost(Duration.ofSeconds(30)).until(() -> new TestRows(pool, 1).count("outbox_events") == 0);
    }

    /** Two, of one number of partitions. */
    private final class Relays implements AutoCloseable {
        final OutboxRelay one;
        final OutboxRelay two;

        Relays(int partitions) {
            this(partitions, () -> new RecordingSink(sent));
        }

        Relays(int partitions, Supplier<Sink> sinks) {
            one = builder("one").partitions(partitions).sink(sinks.get()).start();
            two = builder("two").partitions(partitions).sink(sinks.get()).start();
        }

        void await(int claims) {
            awaitPartitions(List.of(one, two), claims);
        }

        @Override
        public void close() {
            two.close();
            one.close();
        }
    }

    @Test
    void exactlyOnceKnowsWhatWasSentUnderTheOtherNumber() throws Exception {
        TestTopic topic = TestTopic.create(3);
        destination = topic.name();
        counted.set(4);
        Thread writer = Thread.ofVirtual().start(this::write);
        try (Relays four = new Relays(4, () -> KafkaSinks.exactlyOnce(topic.producer()))) {
            four.await(4);
            awaitMore(100);
            four.one.changePartitions(2);
            four.await(2);
            awaitMore(100);
            stop.set(true);
            writer.join();
            awaitEmpty();
        }
        assertEachOnceAndInOrder(
                topic.records(), record -> text(record.key()), record -> Integer.parseInt(text(record.value())));
    }

    @Test
    void aRelayWhoseNumberDoesNotFitTheClaimsSendsNothingAndSaysTheWayOut() throws Exception {
        try (OutboxRelay six =
                builder("six").partitions(6).sink(new RecordingSink(sent)).start()) {
            awaitPartitions(List.of(six), 6);
        }
        counted.set(7);
        try (OutboxRelay seven =
                builder("seven").partitions(7).sink(new RecordingSink(sent)).start()) {
            append(20);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> !seven.status().isHealthy() && seven.status().isBreakerOpen());
            assertThat(seven.status().partitions())
                    .anyMatch(one -> one.trouble().contains("no multiple of the outbox's 6 claims")
                            && one.trouble().contains("--global-lock"));
            assertThat(sent).isEmpty();

            seven.changePartitions(1);
            await().atMost(Duration.ofSeconds(20)).until(() -> sent.size() == 20);
            seven.changePartitions(7);
            awaitPartitions(List.of(seven), 7);
            append(20);
            await().atMost(Duration.ofSeconds(20)).until(() -> sent.size() == 40);
        }
    }

    @Test
    void writersThatCountAnotherNumberEndAChangeOfIdsWithASentence() throws Exception {
        counted.set(12);
        Thread writer = Thread.ofVirtual().start(this::write);
        awaitMore(100);
        assertThatThrownBy(() -> {
                    while (!stop.get()) {
                        OutboxSchema.repartition(pool, 6, rows -> awaitMore(5));
                    }
                })
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("restart all writers with 6");
        stop.set(true);
        writer.join();
    }

    @Test
    void withTheLockOfAnOlderOutboxNamedThereIsOneClaimAndUnderMoreNothingIsSent() throws Exception {
        try (OutboxRelay relay = builder("one")
                .globalLock(OLD_LOCK)
                .sink(new RecordingSink(sent))
                .start()) {
            awaitPartitions(List.of(relay), 1);
            append(5);
            await().atMost(Duration.ofSeconds(20)).until(() -> sent.size() == 5);
            assertThatThrownBy(() -> relay.changePartitions(6)).hasMessageContaining(OLD_LOCK);
            try (JdbcCoordinationStore store = new JdbcCoordinationStore(pool)) {
                new GroupControl(store, "outbox/" + name).changePartitions(6);
            }
            awaitPartitions(List.of(relay), 6);
            append(5);
            await().atMost(Duration.ofSeconds(20)).until(() -> relay.status().isBreakerOpen());
            assertThat(sent).hasSize(5);
            assertThat(relay.status().partitions())
                    .anyMatch(one -> one.trouble().contains("start the relays without it"));
        }
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
                    .sink(new RecordingSink(sent))
                    .start()) {
                awaitPartitions(List.of(relay), 1);
                append(1);
                await().during(Duration.ofSeconds(1))
                        .until(() -> relay.counters().batches() == 0);

                lock.close();
                awaitEmpty();
                assertThat(old.openLease(OLD_LOCK, "old-node", Duration.ofSeconds(30)))
                        .as("an old node that comes while the relay works")
                        .isEmpty();
            }
            assertThat(old.openLease(OLD_LOCK, "old-node", Duration.ofSeconds(30)))
                    .isPresent();
        }
    }

    private OutboxRelay.Builder builder(String node) {
        return OutboxRelay.builder(pool).name(name).nodeId(node).settings(QUICK);
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
                        OutboxMessage.to(destination)
                                .key("key-" + number % 31)
                                .json(Integer.toString(number))
                                .build());
            }
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    private <T> void assertEachOnceAndInOrder(List<T> arrived, Function<T, String> key, ToIntFunction<T> number) {
        Map<String, Integer> last = new HashMap<>();
        assertThat(arrived).hasSize(written.get()).allSatisfy(message -> {
            assertThat(number.applyAsInt(message)).isGreaterThan(last.getOrDefault(key.apply(message), 0));
            last.put(key.apply(message), number.applyAsInt(message));
        });
    }

    /** Takes everything, after a moment, so that whatever is changed comes while something is under way. */
    private record RecordingSink(List<Row> sent) implements Sink, Sink.Channel {
        @Override
        public Sink.Channel open(Opening opening) {
            return this;
        }

        @Override
        public List<Long> alreadySent() {
            return List.of();
        }

        @Override
        public List<SendOutcome> send(List<Row> rows) {
            LockSupport.parkNanos(2_000_000);
            sent.addAll(rows);
            return rows.stream().<SendOutcome>map(row -> SendOutcome.SENT).toList();
        }

        @Override
        public void removed() {}

        @Override
        public void close() {}
    }
}
