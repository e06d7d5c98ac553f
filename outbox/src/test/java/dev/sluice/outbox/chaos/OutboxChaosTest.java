package dev.sluice.outbox.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.outbox.chaos.RelayChaos.Harm;
import dev.sluice.outbox.kafka.TestTopic;
import dev.sluice.outbox.relay.TestRows;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.testkit.ledger.Expectation;
import dev.sluice.testkit.ledger.Finding;
import dev.sluice.testkit.ledger.Ledger;
import dev.sluice.testkit.ledger.LedgerReport;
import dev.sluice.testkit.servers.KafkaServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Real relay processes, three on PostgreSQL and two elsewhere, and a real broker, while relays are killed, frozen for longer than
 * their lease and asked to leave, and database and broker are killed and restarted under them; writers commit slowly, so that ids
 * appear late, and roll back. Each process relays two outboxes, one at least once, one exactly once. The ledger knows
 * what was committed, per key in which order. The long version, of 200 rounds, is run by {@code mvn verify -Psoak -pl outbox -am
 * -Dtest=OutboxChaosTest} (another number by {@code -Dsluice.outbox.rounds}); a failed run is repeated, as far as timing allows,
 * with {@code -Dsluice.outbox.seed}.
 */
@Tag("crash")
@Order(1)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutboxChaosTest {
    private static final int ROUNDS = Integer.getInteger("sluice.outbox.rounds", 10);
    private static final long SEED = Long.getLong("sluice.outbox.seed", System.nanoTime());
    private static final int WRITERS = 3;
    private static final String READER = "topic";
    /** A transaction that is left open ends after 30 s, and Kafka looks every 10 s. */
    private static final Duration DRAINS_WITHIN = Duration.ofSeconds(90);

    /** One outbox: its database, its topic, its writers, and what is known of them. */
    private record Side(
            Delivery delivery, DataSource source, TestRows rows, Ledger ledger, List<ChaosWriter> writers) {}

    private KafkaServer broker;

    @BeforeAll
    void startBroker() {
        broker = KafkaServer.startPrivate();
    }

    @AfterAll
    void stopBroker() {
        broker.close();
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsLostWhateverIsKilled(ChaosDatabase.Kind kind) throws Exception {
        boolean inFull = kind == ChaosDatabase.Kind.POSTGRESQL;
        int rounds = inFull ? ROUNDS : Math.max(3, ROUNDS / 4);
        List<Harm> eachOnce = inFull ? List.of(Harm.values()) : List.of(Harm.KILL, Harm.FREEZE, Harm.DATABASE_RESTART);
        Progress progress = new Progress(kind);
        progress.tell("seed " + SEED + ", " + rounds + " rounds");
        try (ChaosDatabase database = kind.start()) {
            Map<Delivery, String> urls = new EnumMap<>(Delivery.class);
            List<Side> sides = new ArrayList<>();
            for (Delivery delivery : Delivery.values()) {
                String url = database.newUrl();
                urls.put(delivery, url);
                sides.add(side(delivery, topic(kind, delivery), url));
                TestTopic.create(broker, topic(kind, delivery), 3, Map.of());
            }
            Random random = new Random(SEED + kind.ordinal());
            try (RelayChaos chaos =
                    new RelayChaos(inFull ? 3 : 2, prefix(kind), database, broker, urls, eachOnce, random)) {
                progress.tell("relays started");
                List<Thread> threads = new ArrayList<>();
                sides.forEach(side -> side.writers.forEach(
                        writer -> threads.add(Thread.ofVirtual().start(writer))));
                for (Side side : sides) {
                    awaitAllOwned(side);
                }
                chaos.run(rounds, progress::tell);
                sides.forEach(side -> side.writers.forEach(ChaosWriter::stop));
                for (Thread thread : threads) {
                    thread.join();
                }
                for (Side side : sides) {
                    drain(side);
                }
                progress.tell("everything is sent");
            }
            for (Side side : sides) {
                judge(kind, side, progress);
            }
        }
    }

    private static String topic(ChaosDatabase.Kind kind, Delivery delivery) {
        return prefix(kind) + delivery.outbox();
    }

    private static String prefix(ChaosDatabase.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT) + '-';
    }

    private static Side side(Delivery delivery, String topic, String url) {
        DataSource source = ChaosRelay.pool(url, WRITERS + 2);
        OutboxSchema.create(source);
        Ledger ledger = new Ledger().expect(READER, Expectation.everyVersion());
        List<ChaosWriter> writers = new ArrayList<>();
        for (int number = 0; number < WRITERS; number++) {
            writers.add(new ChaosWriter(source, topic, ledger, number, SEED));
        }
        return new Side(delivery, source, new TestRows(source, ChaosRelay.PARTITIONS), ledger, writers);
    }

    /** Nothing is hurt by harms that come before anybody owns anything. */
    private static void awaitAllOwned(Side side) throws Exception {
        long start = System.nanoTime();
        while (side.rows.count("outbox_partitions") < ChaosRelay.PARTITIONS) {
            if (System.nanoTime() - start > DRAINS_WITHIN.toNanos()) {
                throw new AssertionError(side.delivery + ": not all partitions are owned after " + DRAINS_WITHIN);
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static void drain(Side side) throws Exception {
        long start = System.nanoTime();
        while (true) {
            try {
                if (side.rows.count("outbox_events") == 0) {
                    return;
                }
            } catch (SQLException away) {
                // Its connections are from before the last restart.
            }
            if (System.nanoTime() - start > DRAINS_WITHIN.toNanos()) {
                throw new AssertionError(side.delivery + ": " + side.rows.count("outbox_events")
                        + " rows are still there after " + DRAINS_WITHIN);
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private void judge(ChaosDatabase.Kind kind, Side side, Progress progress) throws Exception {
        new TestTopic(broker, topic(kind, side.delivery), 3).records().forEach(record -> {
            String[] row = TestTopic.text(record.value()).split(":");
            side.ledger.arrived(READER, row[0], Integer.parseInt(row[1]), "", false);
        });
        LedgerReport report = side.ledger.report();
        long duplicates = report.count(Finding.DUPLICATE);
        long takeovers = takeovers(side.source);
        long bound = takeovers * ChaosRelay.BATCHES.most();
        LedgerReport.Line line = report.of(READER);
        progress.tell(String.format(
                "%s: owed %d, arrived %d, lost %d, reordered %d, duplicated %d (%d takeovers: at most %d)",
                side.delivery,
                line.owed(),
                line.arrived(),
                line.count(Finding.LOST),
                line.count(Finding.REORDERED),
                duplicates,
                takeovers,
                bound));
        report.assertClean();
        assertThat(takeovers).isPositive();
        assertThat(side.rows.count("outbox_dead")).isZero();
        assertThat(side.rows.count("outbox_parked")).isZero();
        switch (side.delivery) {
            case AT_LEAST_ONCE ->
                assertThat(duplicates)
                        .as("what was under way when a partition changed hands, a batch each")
                        .isLessThanOrEqualTo(bound);
            case EXACTLY_ONCE -> assertThat(duplicates).isZero();
        }
    }

    /** Claims after each partition's first. */
    private static long takeovers(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT SUM(epoch - 1) FROM outbox_partitions")) {
            row.next();
            return row.getLong(1);
        }
    }
}
