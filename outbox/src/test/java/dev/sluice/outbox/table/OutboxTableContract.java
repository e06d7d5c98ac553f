package dev.sluice.outbox.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.model.FencingToken;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What the tables promise the relay, on every database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OutboxTableContract {
    private static final FencingToken FIRST = new FencingToken(1, 1);
    private static final FencingToken SECOND = new FencingToken(1, 2);

    private final TestDatabase database;
    private HikariDataSource pool;
    private OutboxTable table;

    OutboxTableContract(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    void open() {
        pool = database.ready();
    }

    @AfterAll
    void close() {
        pool.close();
    }

    @BeforeEach
    void empty() throws SQLException {
        for (String name :
                List.of("outbox_events", "outbox_partitions", "outbox_parked", "outbox_dead", "outbox_sent")) {
            TestDatabase.run(pool, "DELETE FROM " + name);
        }
        table = new OutboxTable(pool, Keeping.DELETE);
    }

    private long insert(Connection connection, String key, int partition, int priority) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO outbox_events (partition_id, topic, message_key, payload, priority) VALUES (?, 'orders', ?, ?, ?)",
                new String[] {"id"})) {
            statement.setInt(1, partition);
            statement.setString(2, key);
            statement.setBytes(3, key.getBytes(UTF_8));
            statement.setInt(4, priority);
            statement.executeUpdate();
            try (var keys = statement.getGeneratedKeys()) {
                keys.next();
                return keys.getLong(1);
            }
        }
    }

    private long insert(String key, int partition, int priority) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return insert(connection, key, partition, priority);
        }
    }

    private long insert(String key) throws SQLException {
        return insert(key, 0, 0);
    }

    private static List<Long> ids(List<Row> rows) {
        return rows.stream().map(Row::id).toList();
    }

    private List<Long> fetch(int limit, String... parkedKeys) {
        return ids(table.fetch(new Slice(0, 6, 6), limit, Arrays.asList(parkedKeys)));
    }

    @Test
    void aLowerIdThatIsCommittedLateIsFoundAlthoughHigherOnesAreGone() throws SQLException {
        table.claim(0, FIRST);
        try (Connection slow = pool.getConnection()) {
            slow.setAutoCommit(false);
            long late = insert(slow, "slow", 0, 0);
            long early = insert("quick");
            assertThat(early).isGreaterThan(late);
            assertThat(fetch(10)).containsExactly(early);
            assertThat(table.finish(0, FIRST, List.of(early))).isTrue();
            slow.commit();
            assertThat(fetch(10)).containsExactly(late);
            slow.setAutoCommit(true);
        }
    }

    @Test
    void rowsComeInTheOrderOfTheirIdsUpToTheLimit() throws SQLException {
        List<Long> written = List.of(insert("a"), insert("b"), insert("a"), insert("c"));
        insert("elsewhere", 1, 0);
        assertThat(fetch(3)).isEqualTo(written.subList(0, 3));
        assertThat(fetch(10)).isEqualTo(written);
    }

    @Test
    void aSliceTakesAllPartitionIdsThatBelongToItsClaim() throws SQLException {
        List<Long> ids = IntStream.range(0, 12)
                .mapToObj(partition -> {
                    try {
                        return insert("k" + partition, partition, 0);
                    } catch (SQLException failed) {
                        throw new IllegalStateException(failed);
                    }
                })
                .toList();
        assertThat(ids(table.fetch(new Slice(2, 6, 12), 10, List.of()))).containsExactly(ids.get(2), ids.get(8));
        assertThat(ids(table.fetch(new Slice(2, 12, 12), 10, List.of()))).containsExactly(ids.get(2));
        TestDatabase.run(
                pool,
                "INSERT INTO outbox_events (topic, message_key, payload) SELECT topic, 'old', payload"
                        + " FROM outbox_events WHERE message_key = 'k0'");
        assertThat(table.fetch(Slice.all(), 100, List.of())).hasSize(13);
    }

    @Test
    void aRowThatMovesBeyondTheSliceDuringAFetchIsNotPassedOver() throws SQLException {
        long first = insert("a", 8, 0);
        long second = insert("a", 2, 0);
        OutboxTable moving = new OutboxTable(
                TestDatabase.before(
                        pool, "UNION ALL", "UPDATE outbox_events SET partition_id = 14 WHERE id = " + first),
                Keeping.DELETE);
        assertThat(ids(moving.fetch(new Slice(2, 6, 6), 10, List.of()))).containsExactly(first, second);
    }

    @Test
    void aFetchFindsTheRowsOfWritersThatCountMorePartitions() throws SQLException {
        long first = insert("a", 8, 0);
        assertThat(ids(table.fetch(new Slice(2, 6, 6), 10, List.of()))).containsExactly(first);
        long second = insert("a", 2, 0);
        assertThat(ids(table.fetch(new Slice(2, 6, 6), 10, List.of()))).containsExactly(first, second);
        assertThat(ids(table.fetch(new Slice(3, 6, 6), 10, List.of()))).isEmpty();
    }

    @Test
    void aPartitionIdThatCannotBeCostsTheFetchesNothingAndIsMended() throws SQLException {
        insert("garbage", 5_000, 0);
        insert("signed", -3, 0);
        OutboxTable widening = new OutboxTable(
                TestDatabase.before(pool, "MAX(partition_id)", "DELETE FROM outbox_events"), Keeping.DELETE);
        assertThat(widening.fetch(new Slice(2, 6, 6), 10, List.of())).isEmpty();
        table.claim(0, FIRST);
        assertThat(table.assignPartitions(FIRST, 6, 100)).isEqualTo(2);
        assertThat(table.fetch(Slice.all(), 10, List.of()))
                .hasSize(2)
                .allMatch(row -> KeyHash.partition(row.key(), 6) == row.partition());
    }

    @Test
    void whatIsFinishedIsGone() throws SQLException {
        table.claim(0, FIRST);
        long first = insert("a");
        long second = insert("a");
        assertThat(table.finish(0, FIRST, List.of(first))).isTrue();
        assertThat(fetch(10)).containsExactly(second);
        assertThat(table.finish(0, FIRST, List.of(first, second))).isTrue();
        assertThat(fetch(10)).isEmpty();
        assertThat(table.finish(0, FIRST, List.of())).isTrue();
    }

    @Test
    void batchesAreCountedOneByOneAndTheNextOwnerLearnsTheLast() throws SQLException {
        assertThat(table.claim(0, FIRST)).isEmpty();
        long first = insert("a");
        long second = insert("a");
        assertThat(table.finish(0, FIRST, List.of(first), OptionalLong.of(1))).isTrue();
        assertThat(table.finish(0, FIRST, List.of(first), OptionalLong.of(1)))
                .as("once more, since nobody knew")
                .isTrue();
        assertThat(table.finish(0, FIRST, List.of(second), OptionalLong.of(3)))
                .as("of a table that is behind")
                .isFalse();
        assertThat(fetch(10)).containsExactly(second);
        assertThat(table.claim(0, SECOND)).containsExactly(Map.entry(0, 1L));
        assertThat(table.finish(0, FIRST, List.of(second), OptionalLong.of(2))).isFalse();
        assertThat(table.finish(0, SECOND, List.of(second), OptionalLong.of(2))).isTrue();
        assertThat(fetch(10)).isEmpty();
        assertThat(table.claim(9, new FencingToken(2, 0))).containsExactly(Map.entry(0, 2L));
    }

    @Test
    void whoeverWasReplacedFinishesNothing() throws SQLException {
        long id = insert("a");
        table.claim(0, FIRST);
        table.claim(0, SECOND);
        assertThat(table.finish(0, FIRST, List.of(id))).isFalse();
        assertThat(table.bury(
                        0,
                        FIRST,
                        List.of(new Burial(
                                table.fetch(Slice.all(), 1, List.of()).getFirst(), "bad", 1, false))))
                .isFalse();
        assertThat(table.park(0, FIRST, List.of(new Parked("a", id, 1, Duration.ZERO, "bad"))))
                .isFalse();
        assertThat(fetch(10)).containsExactly(id);
        assertThatThrownBy(() -> table.claim(0, FIRST))
                .isInstanceOf(FencedException.class)
                .hasMessageContaining("1.2");
        assertThat(table.finish(0, SECOND, List.of(id))).isTrue();
    }

    @Test
    void aNewGenerationShutsOutTheOwnersOfAllPartitions() throws SQLException {
        long id = insert("a", 3, 0);
        table.claim(3, SECOND);
        FencingToken next = new FencingToken(2, 0);
        table.claim(9, next);
        assertThat(table.finish(3, SECOND, List.of(id))).isFalse();
        assertThatThrownBy(() -> table.claim(4, SECOND)).isInstanceOf(FencedException.class);
        table.claim(3, next);
        assertThat(table.finish(3, next, List.of(id))).isTrue();
    }

    @Test
    void aClaimWaitsForTheOneWhoIsFinishing() throws Exception {
        table.claim(0, FIRST);
        try (Connection finishing = pool.getConnection()) {
            finishing.setAutoCommit(false);
            Session session = new Session(finishing, table.dialect());
            assertThat(Owner.holds(session, 0, FIRST)).isTrue();
            Thread claim = Thread.ofVirtual().start(() -> table.claim(0, SECOND));
            assertThat(claim.join(Duration.ofMillis(300))).isFalse();
            finishing.commit();
            finishing.setAutoCommit(true);
            claim.join();
        }
        assertThat(table.finish(0, FIRST, List.of(1L))).isFalse();
    }

    /** Where the server can end a transaction; for a subclass to run. */
    void oneWhoFallsSilentHoldsItsSuccessorUpOnlyForAWhile() throws Exception {
        table.claim(0, FIRST);
        CountDownLatch silent = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        CompletableFuture<Boolean> frozen =
                CompletableFuture.supplyAsync(() -> new Database(pool, Duration.ofSeconds(1), Duration.ofSeconds(30))
                        .transaction("finish rows", session -> {
                            boolean holds = Owner.holds(session, 0, FIRST);
                            silent.countDown();
                            awaitQuietly(over);
                            return holds;
                        }));
        silent.await();
        table.claim(0, SECOND);
        over.countDown();
        assertThatThrownBy(frozen::join).hasCauseInstanceOf(OutboxDatabaseException.class);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    HikariDataSource pool() {
        return pool;
    }

    @Test
    void parkedKeysAreLeftOutAndOthersGoOn() throws SQLException {
        long bad = insert("bad");
        long good = insert("good");
        insert("bad");
        long spaced = insert("bad ");
        assertThat(fetch(10, "bad")).containsExactly(good, spaced);
        assertThat(fetch(10, "bad", "bad ")).containsExactly(good);
        assertThat(fetch(10)).startsWith(bad);
    }

    @Test
    void parkedKeysSurviveTheirOwner() throws SQLException {
        table.claim(0, FIRST);
        long id = insert("bad");
        assertThat(table.park(0, FIRST, List.of(new Parked("bad", id, 1, Duration.ofHours(1), "no key"))))
                .isTrue();
        table.park(0, FIRST, List.of(new Parked("bad", id, 2, Duration.ofHours(2), "still none")));
        assertThat(table.parked(Slice.all())).singleElement().satisfies(parked -> {
            assertThat(parked).isEqualTo(new Parked("bad", id, 2, parked.retryIn(), "still none"));
            assertThat(parked.retryIn())
                    .as("by the database's clock")
                    .isBetween(Duration.ofMinutes(119), Duration.ofHours(2));
        });
        int claim = KeyHash.partition("bad", 6);
        assertThat(table.parked(new Slice(claim, 6, 6))).hasSize(1);
        assertThat(table.parked(new Slice((claim + 1) % 6, 6, 6))).isEmpty();
        assertThat(table.backlog().parked()).isEqualTo(1);
        table.unpark(0, FIRST, List.of("bad "));
        assertThat(table.parked(Slice.all())).hasSize(1);
        table.unpark(0, FIRST, List.of("bad"));
        assertThat(table.parked(Slice.all())).isEmpty();
    }

    @Test
    void keysAreLeftOutByWhatTheTableSaysOfThemAndTopicsByName() throws SQLException {
        table.claim(0, FIRST);
        long bad = insert("bad");
        long due = insert("due");
        long spaced = insert("bad ");
        long urgent = insert("bad", 0, 1);
        table.park(
                0,
                FIRST,
                List.of(
                        new Parked("bad", bad, 1, Duration.ofHours(1), "no"),
                        new Parked("due", due, 1, Duration.ofMillis(-1), "no")));
        Slice slice = new Slice(0, 6, 6);
        assertThat(ids(table.fetch(slice, 10, new LeftOut(List.of(), true, List.of()))))
                .containsExactly(due, spaced);
        assertThat(ids(table.fetch(Slice.all(), 10, new LeftOut(List.of("due"), true, List.of()))))
                .containsExactly(spaced);
        assertThat(ids(table.fetch(slice, 10, new LeftOut(List.of(), false, List.of("ORDERS", "orders ")))))
                .as("none of these topics is the rows' topic")
                .containsExactlyInAnyOrder(bad, urgent, due, spaced);
        assertThat(table.fetch(slice, 10, new LeftOut(List.of(), false, List.of("orders", "more"))))
                .isEmpty();
    }

    @Test
    void manyKeysAreParkedAndManyRowsBuriedAtOnce() throws SQLException {
        table.claim(0, FIRST);
        for (int k = 0; k < 120; k++) {
            insert("key-" + k);
        }
        List<Row> rows = table.fetch(Slice.all(), 200, List.of());
        List<Parked> keys = rows.stream()
                .map(row -> new Parked(row.key(), row.id(), 1, Duration.ofHours(1), "no"))
                .toList();
        assertThat(table.park(0, SECOND, keys)).isFalse();
        assertThat(table.park(0, FIRST, keys)).isTrue();
        assertThat(table.park(0, FIRST, keys)).as("again").isTrue();
        assertThat(table.parked(Slice.all())).hasSize(120);
        assertThat(table.unpark(
                        0, FIRST, keys.stream().map(Parked::key).limit(20).toList()))
                .isTrue();
        assertThat(table.parked(Slice.all())).hasSize(100);
        List<Burial> burials = rows.stream()
                .map(row -> new Burial(row, "no " + row.id(), 3, row.id() % 2 == 0))
                .toList();
        assertThat(table.bury(0, SECOND, burials)).isFalse();
        assertThat(table.bury(0, FIRST, burials)).isTrue();
        assertThat(table.parked(Slice.all())).isEmpty();
        assertThat(fetch(200)).isEmpty();
        assertThat(table.dead(200, Long.MIN_VALUE)).hasSize(120).allSatisfy(dead -> {
            assertThat(dead.reason()).isEqualTo("no " + dead.id());
            assertThat(dead.laterRowsSent()).isEqualTo(dead.id() % 2 == 0);
        });
    }

    @Test
    void theTablesKnowWhichOutboxTheyAreAndNobodyTakesThatForAPartition() throws Exception {
        List<CompletableFuture<String>> asked = IntStream.range(0, 4)
                .mapToObj(k -> CompletableFuture.supplyAsync(table::identity))
                .toList();
        String id = table.identity();
        assertThat(id).matches("[0-9a-f]{16}");
        assertThat(asked).allSatisfy(other -> assertThat(other.get()).isEqualTo(id));
        table.claim(0, FIRST);
        table.claim(1, new FencingToken(2, 1));
        assertThat(table.owners()).containsOnlyKeys(0, 1);
        assertThat(table.identity()).isEqualTo(id);
        TestDatabase.run(pool, "DELETE FROM outbox_partitions");
        assertThat(table.identity()).as("of tables that were made anew").isNotEqualTo(id);
    }

    @Test
    void aKeyWhoseRowIsGoneIsNotParkedAnyMore() throws SQLException {
        table.claim(0, FIRST);
        long id = insert("bad");
        table.park(0, FIRST, List.of(new Parked("bad", id, 1, Duration.ZERO, "away")));
        long waits = insert("waits");
        table.park(0, FIRST, List.of(new Parked("waits", waits, 1, Duration.ZERO, "away")));
        table.finish(0, FIRST, List.of(id));
        assertThat(table.parked(Slice.all())).extracting(Parked::key).containsExactly("waits");
        assertThat(table.backlog().parked()).isEqualTo(2);
        assertThat(table.cleanParked()).isOne();
        assertThat(table.backlog().parked()).isOne();
    }

    @Test
    void aKeyIsParkedOnceWhicheverOfItsRowsWasTheReason() throws SQLException {
        table.claim(0, FIRST);
        long second = insert("bad");
        long first = insert("bad");
        table.park(0, FIRST, List.of(new Parked("bad", second, 1, Duration.ZERO, "away")));
        table.park(0, FIRST, List.of(new Parked("bad", first, 1, Duration.ZERO, "away")));
        assertThat(table.parked(Slice.all())).extracting(Parked::rowId).containsExactly(first);
    }

    @Test
    void aDeadRowLetsItsKeyGoOnAndComesBackUnderItsOldId() throws SQLException {
        table.claim(0, FIRST);
        long first = insert("bad");
        long second = insert("bad");
        long third = insert("bad");
        for (long id : List.of(first, second)) {
            Row row = table.fetch(Slice.all(), 1, List.of()).getFirst();
            assertThat(row.id()).isEqualTo(id);
            table.park(0, FIRST, List.of(new Parked("bad", id, 10, Duration.ZERO, "away")));
            assertThat(table.bury(0, FIRST, List.of(new Burial(row, "too large", 10, true))))
                    .isTrue();
        }
        assertThat(table.parked(Slice.all())).isEmpty();
        assertThat(fetch(10)).containsExactly(third);
        List<Dead> dead = table.dead(10, 0);
        assertThat(dead).extracting(Dead::id).containsExactly(first, second);
        assertThat(dead.getFirst().reason()).isEqualTo("too large");
        assertThat(dead.getFirst().attempts()).isEqualTo(10);
        assertThat(dead.getFirst().laterRowsSent()).isTrue();
        assertThat(dead.getFirst().bytes()).isEqualTo(3);
        assertThat(table.dead(10, first)).hasSize(1);
        assertThat(table.backlog().dead()).isEqualTo(2);

        assertThat(table.requeueKey("bad ")).isZero();
        assertThat(table.requeue(List.of(second))).isEqualTo(1);
        assertThat(table.requeueAll()).isEqualTo(1);
        table.claim(0, FIRST);
        assertThat(table.assignPartitions(FIRST, 6, 100)).isEqualTo(2);
        List<Row> back = table.fetch(Slice.all(), 10, List.of());
        assertThat(ids(back)).containsExactly(first, second, third);
        assertThat(back.getFirst().payload()).isEqualTo("bad".getBytes(UTF_8));
        assertThat(table.dead(10, 0)).isEmpty();
    }

    @Test
    void rowsWithoutPartitionIdsGetTheirs() throws SQLException {
        for (int k = 0; k < 25; k++) {
            TestDatabase.run(
                    pool, "INSERT INTO outbox_events (topic, message_key, payload) SELECT 'old', 'key-" + k + "', ''");
        }
        assertThat(table.backlog().partitions().getLast().rows()).isEqualTo(25);
        table.claim(0, SECOND);
        assertThat(table.assignPartitions(FIRST, 6, 10))
                .as("of an owner of before")
                .isZero();
        assertThat(table.assignPartitions(SECOND, 6, 10)).isEqualTo(10);
        assertThat(table.assignPartitions(SECOND, 6, 100)).isEqualTo(15);
        assertThat(table.assignPartitions(SECOND, 6, 100)).isZero();
        assertThat(table.fetch(Slice.all(), 100, List.of()))
                .hasSize(25)
                .allMatch(row -> KeyHash.partition(row.key(), 6) == row.partition());
    }

    @Test
    void urgentKeysGoFirstAndNoRowOvertakesAnotherOfItsKey() throws SQLException {
        long a1 = insert("a");
        long b1 = insert("b");
        long c1 = insert("c");
        long b2 = insert("b", 0, 1);
        long b3 = insert("b");
        long c2 = insert("c", 0, 9);
        assertThat(fetch(10)).containsExactly(c1, c2, b1, b2, a1, b3);
        assertThat(fetch(3)).containsExactly(c1, c2, b1);
        assertThat(fetch(1)).containsExactly(c1);
        assertThat(fetch(5)).containsExactly(c1, c2, b1, b2, a1);
        assertThat(fetch(10, "c")).containsExactly(b1, b2, a1, b3);
        assertThat(fetch(10, "b", "c")).containsExactly(a1);
    }

    @Test
    void keptRowsAreMovedAndClearedAwayByAgeInChunks() throws SQLException {
        OutboxTable keeping = new OutboxTable(pool, Keeping.KEEP);
        keeping.claim(0, FIRST);
        List<Long> ids = List.of(insert("a"), insert("b"), insert("c"));
        assertThat(keeping.finish(0, SECOND, ids)).isFalse();
        assertThat(TestDatabase.ask(pool, "SELECT id FROM outbox_sent")).isEmpty();
        assertThat(keeping.finish(0, FIRST, ids)).isTrue();
        assertThat(fetch(10)).isEmpty();
        assertThat(TestDatabase.ask(pool, "SELECT message_key FROM outbox_sent ORDER BY id"))
                .containsExactly("a", "b", "c");
        assertThat(keeping.cleanSent(Duration.ofHours(1), 100)).isZero();
        assertThat(keeping.cleanSent(Duration.ofSeconds(-1), 2)).isEqualTo(2);
        assertThat(keeping.cleanSent(Duration.ofSeconds(-1), 2)).isEqualTo(1);
    }

    @Test
    void theBacklogIsCountedByPartitionWithItsOldestRow() throws SQLException {
        insert("a", 1, 0);
        insert("b", 1, 0);
        insert("c", 2, 0);
        Backlog backlog = table.backlog();
        assertThat(backlog.partitions())
                .extracting(Backlog.OfPartition::partition, Backlog.OfPartition::rows)
                .containsExactly(tuple(1, 2L), tuple(2, 1L));
        assertThat(backlog.rows()).isEqualTo(3);
        assertThat(Duration.between(backlog.partitions().getFirst().oldest(), Instant.now()))
                .isBetween(Duration.ofSeconds(-5), Duration.ofSeconds(60));
    }

    @Test
    void largePayloadsAreFetchedInBatchesOfBoundedSize() throws SQLException {
        byte[] large = new byte[(int) (Pending.MOST_BYTES / 4)];
        Arrays.fill(large, (byte) 7);
        List<Long> written = new ArrayList<>();
        for (int k = 0; k < 6; k++) {
            written.add(insert("large-" + k));
            try (Connection connection = pool.getConnection();
                    PreparedStatement grow =
                            connection.prepareStatement("UPDATE outbox_events SET payload = ? WHERE id = ?")) {
                grow.setBytes(1, large);
                grow.setLong(2, written.getLast());
                grow.executeUpdate();
            }
        }
        List<Row> rows = table.fetch(Slice.all(), 100, List.of());
        assertThat(ids(rows)).isEqualTo(written.subList(0, 5));
        assertThat(rows.getFirst().payload()).isEqualTo(large);
    }

    @Test
    void aRowOfAnotherStatusIsNobodysBusiness() throws SQLException {
        long id = insert("a");
        TestDatabase.run(pool, "UPDATE outbox_events SET status = 1 WHERE id = " + id);
        assertThat(fetch(10)).isEmpty();
        assertThat(table.backlog().rows()).isZero();
    }

    @Test
    void headersThatNobodyCanReadHarmOnlyTheirRow() throws SQLException {
        long bad = insert("bad");
        long good = insert("good");
        TestDatabase.run(pool, "UPDATE outbox_events SET headers = '{\"a\": ' WHERE id = " + bad);
        TestDatabase.run(pool, "UPDATE outbox_events SET headers = '{\"a\": \"b\", \"n\": 1}' WHERE id = " + good);
        List<Row> rows = table.fetch(Slice.all(), 10, List.of());
        assertThatThrownBy(() -> rows.getFirst().headers().get("a")).hasMessageContaining("flat JSON");
        assertThat(rows.getLast().headers()).isEqualTo(Map.of("a", "b", "n", "1"));
    }
}
