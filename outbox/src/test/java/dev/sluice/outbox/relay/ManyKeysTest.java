package dev.sluice.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FencingToken;
import dev.sluice.outbox.relay.RelaySettings.BatchLimits;
import dev.sluice.outbox.relay.RelaySettings.RetryLimits;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.Parked;
import dev.sluice.outbox.table.Row;
import dev.sluice.outbox.table.Slice;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Thousands of keys that cannot be sent cost batches, not a round trip each; counted, on an H2 stepped by hand. */
class ManyKeysTest {
    private static final String TOPIC = "orders";
    private static final int BATCH = 500;

    private final TestRows rows = TestRows.onH2(1);
    private final CountingSource counting = new CountingSource(rows.source());
    private final OutboxTable table = new OutboxTable(counting.counted(), Keeping.DELETE);
    private final ScriptedSink sink = new ScriptedSink();
    private final RelayCounters counters = new RelayCounters();
    private RelaySettings settings = RelaySettings.DEFAULT
            .withBatches(new BatchLimits(BATCH, BATCH))
            .withRetries(new RetryLimits(3, Duration.ofSeconds(1), Duration.ofMinutes(1)));
    private Instant wall = Instant.parse("2026-11-15T12:00:00Z");
    private Duration elapsed = Duration.ZERO;

    @Test
    void aTopicThatMayNotBeWrittenIsOneStateHoweverManyKeysItHas() throws Exception {
        List<String> keys =
                IntStream.range(0, 5_000).mapToObj(key -> "key-" + key).toList();
        rows.add("denied", keys);
        rows.add(TOPIC, keys.subList(0, 1_000));
        sink.outcomes = row ->
                row.topic().equals("denied") ? new SendOutcome.Blocked("it may not be written") : SendOutcome.SENT;
        PartitionRelay relay = relay(1);
        stepUntilIdle(relay);

        assertThat(sink.received).hasSize(1_000).allMatch(row -> row.topic().equals(TOPIC));
        assertThat(sink.sizes).as("the denied one, then the others").containsExactly(BATCH, BATCH, BATCH);
        assertThat(counting.connections).isLessThan(20);
        assertThat(rows.count("outbox_parked")).isZero();
        assertThat(rows.count("outbox_dead")).isZero();
        assertThat(relay.journal().status().blockedTopics())
                .containsExactly(new BlockedTopic("denied", "it may not be written", 1));
        assertThat(counters.topicsBlocked()).isOne();

        for (int attempt = 2; attempt <= 5; attempt++) {
            elapsed = elapsed.plusMinutes(1);
            stepUntilIdle(relay);
            assertThat(sink.sizes.getLast()).as("one row goes ahead").isOne();
            assertThat(relay.journal().status().blockedTopics())
                    .containsExactly(new BlockedTopic("denied", "it may not be written", attempt));
        }
        assertThat(rows.count("outbox_events")).as("never given up").isEqualTo(5_000);

        sink.outcomes = row -> SendOutcome.SENT;
        elapsed = elapsed.plusMinutes(1);
        stepUntilIdle(relay);
        assertThat(rows.count("outbox_events")).isZero();
        assertThat(sink.keys().subList(1_000, 6_000)).isEqualTo(keys);
        assertThat(relay.journal().status().blockedTopics()).isEmpty();
        assertThat(counting.connections).isLessThan(80);
        assertThat(counting.mostValues).isLessThan(20);
    }

    @Test
    void pausesEndWhenABlockedTopicIsTriedAgainAndGrow() throws Exception {
        rows.add("denied", List.of("a"));
        sink.outcomes = row -> new SendOutcome.Blocked("no");
        PartitionRelay relay = relay(1);
        Duration slept = Duration.ZERO;
        while (sink.sends < 5) {
            Duration pause = relay.step();
            slept = slept.plus(pause);
            elapsed = elapsed.plus(pause);
        }
        // 1, 2, 4 and 8 s
        assertThat(slept).isBetween(Duration.ofSeconds(15), Duration.ofMillis(15_100));
    }

    @Test
    void thousandsOfKeysThatFailAreParkedBatchByBatchAndLeftOutByTheTable() throws Exception {
        // Longer than the test takes: the database's clock is a real one.
        settings = settings.withRetries(new RetryLimits(3, Duration.ofMinutes(5), Duration.ofMinutes(5)));
        List<String> keys =
                IntStream.range(0, 1_500).mapToObj(key -> "bad-" + key).toList();
        rows.add(TOPIC, keys);
        rows.add(TOPIC, keys);
        rows.add(TOPIC, List.of("good"));
        sink.outcomes = row -> row.key().equals("good") ? SendOutcome.SENT : new SendOutcome.Failed("no key opens it");
        PartitionRelay relay = relay(1);
        stepUntilIdle(relay);

        assertThat(sink.keys()).containsExactly("good");
        assertThat(rows.count("outbox_parked")).isEqualTo(1_500);
        // 3 batches and the last look: a fetch, a finish and a park each, and what opening takes
        assertThat(counting.connections).isLessThan(20);
        assertThat(counting.mostValues).isLessThanOrEqualTo(ParkedKeys.MOST_LISTED + 10);

        sink.outcomes = row -> SendOutcome.SENT;
        due();
        stepUntilIdle(relay);
        assertThat(rows.count("outbox_parked")).isZero();
        assertThat(rows.count("outbox_events")).isZero();
        assertThat(sink.keys().subList(1, 1_501)).isEqualTo(keys);
        assertThat(sink.keys().subList(1_501, 3_001)).isEqualTo(keys);
    }

    @Test
    void thousandsOfRowsThatAreRefusedAreBuriedBatchByBatch() throws Exception {
        rows.add(TOPIC, IntStream.range(0, 2_000).mapToObj(key -> "k" + key).toList());
        sink.outcomes = row -> new SendOutcome.Refused("too large");
        stepUntilIdle(relay(1));
        assertThat(rows.count("outbox_dead")).isEqualTo(2_000);
        assertThat(counting.connections).isLessThan(25);
    }

    /** Of two relays one may be an hour ahead. */
    @Test
    void whenAKeyIsTriedAgainTheDatabasesClockSays() throws Exception {
        rows.add(TOPIC, List.of("bad"));
        wall = Instant.parse("2040-01-01T00:00:00Z");
        sink.outcomes = row -> new SendOutcome.Failed("no");
        stepUntilIdle(relay(1));
        assertThat(table.parked(Slice.all()))
                .singleElement()
                .extracting(Parked::retryIn)
                .satisfies(left -> assertThat(left).isBetween(Duration.ofSeconds(-20), Duration.ofSeconds(1)));

        wall = Instant.parse("2001-01-01T00:00:00Z");
        sink.outcomes = row -> SendOutcome.SENT;
        PartitionRelay heir = relay(2);
        elapsed = elapsed.plusSeconds(1);
        stepUntilIdle(heir);
        elapsed = elapsed.plusSeconds(1);
        stepUntilIdle(heir);
        assertThat(sink.keys()).containsExactly("bad");
    }

    /** What a person took out of the table is not waited for without a pause. */
    @Test
    void aParkedKeyWhoseRowIsGoneIsNotLookedForAllTheTime() throws Exception {
        rows.add(TOPIC, List.of("bad"));
        sink.outcomes = row -> new SendOutcome.Failed("no");
        PartitionRelay relay = relay(1);
        stepUntilIdle(relay);
        run("DELETE FROM outbox_events");
        elapsed = elapsed.plusSeconds(5);
        for (int i = 0; i < 5; i++) {
            assertThat(relay.step()).isPositive();
        }
    }

    /** Issue 6: within 60 s, of which the clock here makes none wait. Six rows a second are few. */
    @Test
    void theHottestOfZipfDistributedKeysIsNamedWithAdviceWithinAMinute() throws Exception {
        double[] upTo = IntStream.rangeClosed(1, 1_000)
                .mapToDouble(rank -> 1 / Math.pow(rank, 1.2))
                .toArray();
        Arrays.parallelPrefix(upTo, Double::sum);
        Random random = new Random(7);
        PartitionRelay relay = relay(1);
        relay.step();
        for (int second = 0; second < 60; second++) {
            rows.add(
                    TOPIC,
                    random.doubles(6)
                            .mapToObj(share -> {
                                int at = Arrays.binarySearch(upTo, share * upTo[999]);
                                return "key-" + (at < 0 ? -at - 1 : at);
                            })
                            .toList());
            elapsed = elapsed.plusSeconds(1);
            relay.step();
        }
        assertThat(sink.received).extracting(Row::key).hasSize(360);
        assertThat(RelayStatus.hotKeys(List.of(relay.journal()))).first().satisfies(hottest -> {
            assertThat(hottest.key()).isEqualTo("key-0");
            assertThat(hottest.share()).isBetween(0.15, 0.35);
            assertThat(hottest.advice()).contains("key-0", "partition 0", "keys of their own");
        });
    }

    private PartitionRelay relay(long epoch) {
        return new PartitionRelay(
                table,
                sink,
                "test",
                new HeldClaim(new FencingToken(1, epoch)),
                settings,
                counters,
                new RelayTime(() -> wall, () -> elapsed.toNanos()),
                () -> Duration.ofSeconds(10));
    }

    private static void stepUntilIdle(PartitionRelay relay) throws InterruptedException {
        int idle = 0;
        for (int steps = 0; idle < 3; steps++) {
            assertThat(steps).as("it comes to an end").isLessThan(500);
            idle = relay.step().isZero() ? 0 : idle + 1;
        }
    }

    /** As if the time had passed, here and in the database. */
    private void due() throws Exception {
        elapsed = elapsed.plusMinutes(5);
        run("UPDATE outbox_parked SET retry_at = DATEADD('MINUTE', -5, retry_at)");
    }

    private void run(String sql) throws Exception {
        try (Connection connection = rows.source().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
