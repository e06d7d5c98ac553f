package dev.sluice.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.model.FencingToken;
import dev.sluice.outbox.relay.RelaySettings.BatchLimits;
import dev.sluice.outbox.relay.RelaySettings.RetryLimits;
import dev.sluice.outbox.table.Dead;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.Row;
import dev.sluice.outbox.table.Slice;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One partition, stepped by hand, on an H2 and a receiver that does as it is told. */
class PartitionRelayTest {
    private static final String TOPIC = "orders";

    private final TestRows rows = TestRows.onH2(1);
    private final OutboxTable table = new OutboxTable(rows.source(), Keeping.DELETE);
    private final ScriptedSink sink = new ScriptedSink();
    private Sink receiver = sink;
    private final RelayCounters counters = new RelayCounters();
    private final Instant now = Instant.parse("2026-11-15T12:00:00Z");
    private Duration elapsed = Duration.ZERO;
    private RelaySettings settings = RelaySettings.DEFAULT.withBatches(new BatchLimits(100, 100));
    private HeldClaim owner = new HeldClaim(new FencingToken(1, 1));

    @Test
    void rowsLeaveTheTableAfterTheyWereSentAndNotBefore() throws Exception {
        rows.add(TOPIC, List.of("a", "b", "a"));
        PartitionRelay relay = relay();
        List<Long> whileSending = new ArrayList<>();
        sink.duringSend = () -> whileSending.add(pending());

        relay.step();
        relay.step();

        assertThat(whileSending).containsExactly(3L);
        assertThat(pending()).isZero();
        assertThat(sink.keys()).containsExactly("a", "b", "a");
        assertThat(counters.sent()).isEqualTo(3);
        assertThat(counters.latency().count()).isEqualTo(3);
    }

    @Test
    void aRowCommittedLateWithALowerIdIsSentToo() throws Exception {
        try (Connection late = rows.source().getConnection()) {
            late.setAutoCommit(false);
            rows.add(late, TOPIC, "late", "1");
            rows.add(TOPIC, List.of("early"));
            PartitionRelay relay = relay();
            relay.step();
            relay.step();
            assertThat(sink.keys()).containsExactly("early");

            late.commit();
            late.setAutoCommit(true);
            relay.step();
        }
        assertThat(sink.keys()).containsExactly("early", "late");
        assertThat(sink.received.get(1).id()).isLessThan(sink.received.get(0).id());
    }

    @Test
    void whileTheReceiverIsAwayNothingIsLostAndThePausesGrow() throws Exception {
        rows.add(TOPIC, List.of("a", "b"));
        PartitionRelay relay = relay();
        sink.unavailable = true;
        Duration first = relay.step();
        Duration last = first;
        for (int i = 0; i < 10; i++) {
            last = relay.step();
        }
        assertThat(first).isBetween(Duration.ofMillis(25), Duration.ofMillis(50));
        assertThat(last).isBetween(Duration.ofMillis(2_500), Duration.ofSeconds(5));
        assertThat(relay.journal().status().breaker()).isEqualTo(PartitionStatus.Breaker.OPEN);
        assertThat(pending()).isEqualTo(2);

        sink.unavailable = false;
        relay.step();
        relay.step();
        assertThat(sink.keys()).containsExactly("a", "b");
        assertThat(relay.journal().status().breaker()).isEqualTo(PartitionStatus.Breaker.CLOSED);
    }

    /** Nodes of an older outbox give their lock back for moments only: with pauses of seconds a relay would hardly find one. */
    @Test
    void whileSomebodyElseUsesTheReceiverThePausesDoNotGrow() throws Exception {
        rows.add(TOPIC, List.of("a"));
        PartitionRelay relay = relay();
        sink.inUse = true;
        for (int i = 0; i < 20; i++) {
            assertThat(relay.step()).isBetween(Duration.ofMillis(25), Duration.ofMillis(50));
        }
        assertThat(relay.journal().status().trouble()).contains("somebody else sends");
        assertThat(counters.sinkFailures()).isZero();

        sink.inUse = false;
        relay.step();
        relay.step();
        assertThat(sink.keys()).containsExactly("a");
    }

    /** The sink opens, as Kafka's does while no broker is there, and takes nothing. */
    @Test
    void aSinkThatIsAwayIsLoggedOnceAndSoIsItsReturnHoweverManyPartitionsWait() throws Exception {
        rows.add(TOPIC, List.of("a"));
        try (LoggedLines logged = LoggedLines.ofThisThread(PartitionRelay.class)) {
            PartitionRelay relay = relay();
            counters.troubles().began(7, "nothing is sent: away");
            for (int i = 0; i < 4; i++) {
                sink.unavailable = false;
                relay.step();
                sink.unavailable = true;
                relay.step();
            }
            assertThat(logged.lines()).hasSize(2);
            counters.troubles().ended(7);
            sink.unavailable = false;
            relay.step();
            relay.step();
            assertThat(logged.lines())
                    .containsExactly(
                            "WARN partition 7: nothing is sent: away; it is retried until it succeeds (other partitions with"
                                    + " the same cause: at DEBUG)",
                            "INFO partition 0 is relayed under 1.1",
                            "INFO partition 0 is sent again, and so are all partitions of this relay");
        }
    }

    @Test
    void aTroubleEndsWithTheFirstFetchAlsoWhenThereIsNothingToSend() throws Exception {
        try (LoggedLines logged = LoggedLines.ofThisThread(PartitionRelay.class)) {
            PartitionRelay relay = relay();
            sink.unavailable = true;
            for (int i = 0; i < 4; i++) {
                relay.step();
            }
            sink.unavailable = false;
            relay.step();
            relay.step();
            assertThat(relay.journal().status().trouble()).isEmpty();
            assertThat(relay.journal().status().breaker()).isEqualTo(PartitionStatus.Breaker.CLOSED);
            for (int outage = 0; outage < 2; outage++) {
                run("ALTER TABLE outbox_events RENAME TO elsewhere");
                relay.step();
                assertThat(relay.journal().status().trouble()).contains("the database is not available");
                run("ALTER TABLE elsewhere RENAME TO outbox_events");
                relay.step();
                assertThat(relay.journal().status().trouble()).isEmpty();
            }
            assertThat(logged.lines().stream().filter(line -> line.startsWith("WARN")))
                    .hasSize(3);
        }
    }

    /** Beside a long snapshot each may walk over all rows that were sent since. */
    @Test
    void givingRowsTheirPartitionsMayTakeAsLongAsCounting() {
        CountingSource source = new CountingSource(rows.source());
        new OutboxTable(source.counted(), Keeping.DELETE).assignPartitions(new FencingToken(1, 1), 6, 10);
        assertThat(Duration.ofMillis(source.longestTimeout)).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void anOwnerWhoseTokenIsOldFinishesNothing() throws Exception {
        rows.add(TOPIC, List.of("a", "b"));
        PartitionRelay old = relay();
        old.step();
        sink.duringSend = () -> table.claim(0, new FencingToken(1, 2));

        old.step();

        assertThat(pending()).as("sent by the old owner, but not finished").isEqualTo(2);
        assertThat(counters.fenced()).isOne();
        sink.duringSend = () -> {};
        owner = new HeldClaim(new FencingToken(1, 2));
        PartitionRelay heir = relay();
        heir.step();
        heir.step();
        old.step();
        assertThat(pending()).isZero();
        assertThat(sink.keys()).containsExactly("a", "b", "a", "b");
    }

    @Test
    void aClaimThatIsLostWhileSendingFinishesNothingMore() throws Exception {
        rows.add(TOPIC, List.of("a"));
        PartitionRelay relay = relay();
        relay.step();
        sink.duringSend = relay::abandon;
        relay.step();
        relay.step();
        assertThat(pending()).isOne();
        assertThat(sink.sends).isOne();
    }

    @Test
    void whatWasSentIsFinishedAfterTheDatabaseWasAwayAndNotSentAgain() throws Exception {
        rows.add(TOPIC, List.of("a", "b"));
        PartitionRelay relay = relay();
        relay.step();
        sink.duringSend = () -> run("ALTER TABLE outbox_partitions RENAME TO away");
        relay.step();
        assertThat(counters.databaseFailures()).isOne();
        assertThat(relay.isSettled()).isFalse();

        sink.duringSend = () -> {};
        run("ALTER TABLE away RENAME TO outbox_partitions");
        relay.settle();

        assertThat(relay.isSettled()).isTrue();
        assertThat(pending()).isZero();
        assertThat(sink.keys()).containsExactly("a", "b");
        assertThat(sink.removals).as("at the opening, and of the batch").isEqualTo(2);
    }

    @Test
    void whatASinkSaysIsOutAlreadyIsRemovedBeforeAnythingIsFetched() throws Exception {
        rows.add(TOPIC, List.of("a", "b"));
        List<Row> before = table.fetch(new Slice(0, 1, 1), 10, List.of());
        sink.alreadySent = List.of(before.getFirst().id());
        PartitionRelay relay = relay();
        relay.step();
        relay.step();
        assertThat(sink.keys()).containsExactly("b");
    }

    @Test
    void aSinkWithAMemoryIsToldWhetherItMustHaveOne() throws Exception {
        sink.remembers = true;
        relay().step();
        relay().step();
        assertThat(sink.openings).extracting(Sink.Opening::resumed).containsExactly(false, true);
    }

    @Test
    void aSinkWithAMemoryIsToldWhichOfItsBatchesTheTableKnows() throws Exception {
        sink.remembers = true;
        rows.add(TOPIC, List.of("a"));
        PartitionRelay relay = relay();
        stepUntilIdle(relay);
        rows.add(TOPIC, List.of("b"));
        stepUntilIdle(relay);
        relay().step();
        assertThat(sink.openings).extracting(opening -> opening.batch(0)).containsExactly(0L, 2L);
    }

    @Test
    void aRowWhoseHeadersNobodyCanReadIsDeadAtOnceAndAllOthersAreSent() throws Exception {
        rows.add(TOPIC, List.of("a", "bad", "bad", "b"));
        long bad = first() + 1;
        run("UPDATE outbox_events SET headers = 'trace=1' WHERE id = " + bad);
        receiver = new OpeningSink(new DeadLetterTopic(sink, "dead"), UnaryOperator.identity());
        stepUntilIdle(relay());
        assertThat(sink.keys()).containsExactlyInAnyOrder("a", "b", "bad", "bad");
        assertThat(sink.received.stream().filter(row -> row.topic().equals("dead")))
                .singleElement()
                .satisfies(copy -> assertThat(copy.headers()).containsEntry("dead-id", Long.toString(bad)));
        assertThat(table.dead(10, 0))
                .singleElement()
                .satisfies(dead -> assertThat(dead.reason()).contains("flat JSON"));
        assertThat(pending()).isZero();
    }

    @Test
    void aRowThatCannotBeOpenedConcernsItsKeyAlone() throws Exception {
        rows.add(TOPIC, List.of("a", "bad", "b"));
        receiver = new OpeningSink(sink, row -> {
            if (row.key().equals("bad")) {
                throw new IllegalArgumentException("a bug of the cipher");
            }
            return row;
        });
        stepUntilIdle(relay());
        assertThat(sink.keys()).containsExactly("a", "b");
        assertThat(table.parked(new Slice(0, 1, 1))).hasSize(1);
    }

    @Test
    void aSinkThatThrowsIsOpenedAnew() throws Exception {
        rows.add(TOPIC, List.of("a"));
        PartitionRelay relay = relay();
        relay.step();
        sink.duringSend = () -> {
            throw new IllegalStateException("a bug");
        };
        relay.step();
        assertThat(counters.sinkFailures()).isOne();

        sink.duringSend = () -> {};
        relay.step();
        relay.step();
        assertThat(sink.openings).hasSize(2);
        assertThat(pending()).isZero();
    }

    @Test
    void anErrorOfTheSinkIsToldAndDoesNotEndThePartition() throws Exception {
        rows.add(TOPIC, List.of("a"));
        AtomicInteger errors = new AtomicInteger();
        sink.duringSend = () -> {
            if (errors.incrementAndGet() == 1) {
                throw new StackOverflowError("of a sink");
            }
        };
        PartitionRunner runner = PartitionRunner.start("test", relay());
        await().until(() -> pending() == 0);
        assertThat(counters.sinkFailures()).isOne();
        assertThat(runner.stop(Duration.ofSeconds(5))).isTrue();
    }

    @Test
    void noErrorAndNoInterruptionEndsThePartitionsThread() throws Exception {
        rows.add(TOPIC, List.of("a"));
        AtomicInteger fetches = new AtomicInteger();
        AtomicBoolean seen = new AtomicBoolean();
        PartitionRelay relay = new PartitionRelay(
                table,
                receiver,
                "test",
                owner,
                settings,
                counters,
                new RelayTime(() -> now, () -> elapsed.toNanos()),
                () -> {
                    fetches.incrementAndGet();
                    if (!seen.get()) {
                        Thread.currentThread().interrupt();
                        throw new OutOfMemoryError("of a fetch");
                    }
                    return Duration.ofMillis(10);
                });
        PartitionRunner runner = PartitionRunner.start("test", relay);
        await().until(() -> relay.journal().status().trouble().contains("of a fetch"));
        seen.set(true);
        int before = fetches.get();
        await().until(() -> fetches.get() > before + 1);
        assertThat(relay.journal().status().trouble()).isEmpty();
        assertThat(runner.stop(Duration.ofSeconds(5))).isTrue();
    }

    @Test
    void theSinkIsToldWhichTablesItServesAndThoseMadeAnewAreOthers() throws Exception {
        sink.remembers = true;
        relay().step();
        relay().step();
        run("DROP TABLE outbox_events");
        run("DROP TABLE outbox_partitions");
        OutboxSchema.create(rows.source());
        relay().step();
        assertThat(sink.openings).extracting(Sink.Opening::resumed).containsExactly(false, true, false);
        assertThat(sink.openings)
                .extracting(Sink.Opening::identity)
                .satisfiesExactly(
                        first -> assertThat(first).hasSize(16),
                        second -> assertThat(second)
                                .isEqualTo(sink.openings.getFirst().identity()),
                        anew -> assertThat(anew)
                                .isEqualTo(table.identity())
                                .isNotEqualTo(sink.openings.getFirst().identity()));
    }

    /** Acceptance 4: in batches, since these are what a key may wait for. */
    @Test
    void onePoisonKeyAmongFiveThousandDelaysNoOtherByMoreThanABatch() throws Exception {
        settings = settings.withRetries(new RetryLimits(3, Duration.ofSeconds(1), Duration.ofSeconds(1)));
        List<String> keys = new ArrayList<>();
        for (int round = 0; round < 2; round++) {
            IntStream.range(0, 5_000).forEach(key -> keys.add("key-" + key));
        }
        rows.add(TOPIC, keys);
        long first = first();
        sink.outcomes = row -> row.key().equals("key-7") ? new SendOutcome.Failed("it is poison") : SendOutcome.SENT;
        PartitionRelay relay = relay();
        stepUntilIdle(relay);

        Map<Integer, Long> perSend = new TreeMap<>();
        sink.sendOf.values().forEach(send -> perSend.merge(send, 1L, Long::sum));
        assertThat(sink.received).hasSize(9_998);
        // 10,000 rows in batches of 100, the poison's first row in one of them, once
        assertThat(perSend).hasSize(100);
        assertThat(sink.received).allMatch(row -> {
            int undelayed = (int) ((row.id() - first) / 100) + 1;
            int send = sink.sendOf.get(row.id());
            return send == undelayed || send == undelayed - 1;
        });
        assertThat(pending()).isEqualTo(2);
        assertThat(table.parked(new Slice(0, 1, 1)))
                .singleElement()
                .satisfies(parked -> assertThat(parked.attempts()).isOne());

        elapsed = elapsed.plusSeconds(2);
        stepUntilIdle(relay);
        elapsed = elapsed.plusSeconds(2);
        stepUntilIdle(relay);

        // After the third attempt it is dead and its key goes on; the next row of it is poison too.
        assertThat(table.dead(10, 0))
                .singleElement()
                .extracting(Dead::reason, Dead::attempts, Dead::laterRowsSent)
                .containsExactly("it is poison", 3, false);
        assertThat(counters.dead()).isOne();

        sink.outcomes = row -> SendOutcome.SENT;
        assertThat(table.requeueAll()).isOne();
        elapsed = elapsed.plusSeconds(2);
        stepUntilIdle(relay);
        assertThat(pending()).isZero();
        assertThat(sink.keys().subList(9_998, 10_000)).containsExactly("key-7", "key-7");
        assertThat(sink.received.get(9_998).id())
                .isLessThan(sink.received.get(9_999).id());
        assertThat(table.parked(new Slice(0, 1, 1))).isEmpty();
    }

    @Test
    void whatCanNeverBeSentIsDeadAtOnceAndItsKeyGoesOn() throws Exception {
        rows.add(TOPIC, List.of("a", "b", "a"));
        long bad = first();
        sink.outcomes = row -> row.id() == bad ? new SendOutcome.Refused("too large") : SendOutcome.SENT;
        stepUntilIdle(relay());
        assertThat(sink.keys()).containsExactly("b", "a");
        assertThat(table.dead(10, 0)).singleElement().extracting(Dead::attempts).isEqualTo(1);
        assertThat(pending()).isZero();
    }

    @Test
    void parkedKeysAreStillParkedForTheNextOwner() throws Exception {
        rows.add(TOPIC, List.of("bad", "bad", "good"));
        sink.outcomes = row -> row.key().equals("bad") ? new SendOutcome.Failed("no") : SendOutcome.SENT;
        stepUntilIdle(relay());
        owner = new HeldClaim(new FencingToken(1, 2));
        sink.outcomes = row -> SendOutcome.SENT;
        PartitionRelay heir = relay();
        stepUntilIdle(heir);
        assertThat(sink.keys()).containsExactly("good");

        elapsed = elapsed.plusSeconds(2);
        stepUntilIdle(heir);
        assertThat(sink.keys()).containsExactly("good", "bad", "bad");
        assertThat(sink.sendOf.get(sink.received.get(1).id()))
                .as("the first row alone, then the others")
                .isLessThan(sink.sendOf.get(sink.received.get(2).id()));
    }

    @Test
    void pausesGrowWhileNothingComesAndEndWithTheNextRetry() throws Exception {
        PartitionRelay relay = relay();
        relay.step();
        assertThat(relay.step()).isEqualTo(Duration.ofMillis(10));
        assertThat(relay.step()).isEqualTo(Duration.ofMillis(20));
        for (int i = 0; i < 20; i++) {
            relay.step();
        }
        assertThat(relay.step()).isEqualTo(Duration.ofSeconds(10));

        rows.add(TOPIC, List.of("bad"));
        sink.outcomes = row -> new SendOutcome.Failed("no");
        relay.step();
        for (int i = 0; i < 20; i++) {
            assertThat(relay.step()).isLessThanOrEqualTo(Duration.ofSeconds(1));
        }
    }

    @Test
    void theBreakerIsOpenWhileRowsWaitForTheirAcknowledgement() {
        long[] nanos = {0};
        PartitionJournal journal = new PartitionJournal(owner, counters, () -> nanos[0]);
        journal.sending();
        assertThat(journal.status().breaker()).isEqualTo(PartitionStatus.Breaker.CLOSED);
        nanos[0] = Duration.ofSeconds(6).toNanos();
        assertThat(journal.status().breaker()).isEqualTo(PartitionStatus.Breaker.OPEN);
        assertThat(journal.status().waiting()).isEqualTo(Duration.ofSeconds(6));
        journal.acknowledged(List.of(), now);
        assertThat(journal.status().breaker()).isEqualTo(PartitionStatus.Breaker.CLOSED);
    }

    @Test
    void batchesGrowWhileTheyAreQuickAndShrinkWhenTheyAreSlow() {
        BatchSize size = new BatchSize(new BatchLimits(500, 2_000));
        size.took(100, Duration.ofMillis(10));
        assertThat(size.rows()).as("not full").isEqualTo(500);
        size.took(500, Duration.ofMillis(10));
        size.took(1_000, Duration.ofMillis(10));
        size.took(2_000, Duration.ofMillis(10));
        assertThat(size.rows()).isEqualTo(2_000);
        size.took(2_000, Duration.ofMillis(500));
        assertThat(size.rows()).isEqualTo(2_000);
        size.took(2_000, Duration.ofSeconds(2));
        size.took(1_000, Duration.ofSeconds(2));
        size.took(500, Duration.ofSeconds(2));
        assertThat(size.rows()).isEqualTo(500);
    }

    private PartitionRelay relay() {
        return new PartitionRelay(
                table,
                receiver,
                "test",
                owner,
                settings,
                counters,
                new RelayTime(() -> now, () -> elapsed.toNanos()),
                () -> Duration.ofSeconds(10));
    }

    private static void stepUntilIdle(PartitionRelay relay) throws InterruptedException {
        int idle = 0;
        for (int steps = 0; idle < 3; steps++) {
            assertThat(steps).as("steps until it has nothing more to do").isLessThan(1_000);
            idle = relay.step().isZero() ? 0 : idle + 1;
        }
    }

    private long first() {
        return table.fetch(new Slice(0, 1, 1), 1, List.of()).getFirst().id();
    }

    private long pending() {
        try {
            return rows.count("outbox_events");
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void run(String sql) {
        try (Connection connection = rows.source().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
