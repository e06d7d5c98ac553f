package dev.sluice.outbox.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.model.FencingToken;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** On PostgreSQL: a fetch need not walk over what was sent, and never leaves out what is committed late. */
class IdFloorTest {
    private static final FencingToken TOKEN = new FencingToken(1, 1);
    private static final Slice SLICE = new Slice(0, 6, 6);

    private final HikariDataSource pool = TestDatabase.POSTGRESQL.ready();
    private final OutboxTable table = new OutboxTable(pool, Keeping.DELETE);
    /** Takes every fetch for slow. */
    private final IdFloor floor = new IdFloor(Duration.ZERO);

    @BeforeEach
    void claim() {
        table.claim(0, TOKEN);
        // From now on it knows which server's ids it sees.
        fetch();
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private static long insert(Connection connection, String key) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "INSERT INTO outbox_events (partition_id, topic, message_key, payload) VALUES (0, 'orders', '"
                                + key + "', '') RETURNING id")) {
            row.next();
            return row.getLong(1);
        }
    }

    private long insert(String key) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return insert(connection, key);
        }
    }

    private List<Long> fetch() {
        return table.fetch(SLICE, 100, LeftOut.keys(List.of()), floor).stream()
                .map(Row::id)
                .toList();
    }

    private void sendAll() {
        assertThat(table.finish(0, TOKEN, fetch())).isTrue();
    }

    @Test
    void itRisesAboveWhatWasSentAndStaysBelowWhatWaits() throws Exception {
        insert("a");
        long last = insert("b");
        sendAll();
        for (int i = 0; i < 4; i++) {
            assertThat(fetch()).isEmpty();
        }
        assertThat(floor.id()).isEqualTo(last + 1);
        List<Long> waiting = List.of(insert("a"), insert("b"));
        for (int i = 0; i < 4; i++) {
            assertThat(fetch()).isEqualTo(waiting);
        }
        assertThat(floor.id()).isEqualTo(waiting.getFirst());
    }

    /** Row 49 of the correctness page, with fetches and raises before, between and after. */
    @Test
    void aRowThatIsCommittedLateIsNeverBelowIt() throws Exception {
        insert("first");
        sendAll();
        try (Connection slow = pool.getConnection();
                Connection slower = pool.getConnection()) {
            slow.setAutoCommit(false);
            slower.setAutoCommit(false);
            long late = insert(slow, "late");
            long later = insert(slower, "later");
            long early = insert("early");
            for (int i = 0; i < 5; i++) {
                assertThat(fetch()).containsExactly(early);
            }
            sendAll();
            for (int i = 0; i < 5; i++) {
                assertThat(fetch()).isEmpty();
                assertThat(floor.id()).isLessThanOrEqualTo(late);
            }
            slow.commit();
            assertThat(fetch()).containsExactly(late);
            sendAll();
            for (int i = 0; i < 5; i++) {
                insert("more");
                sendAll();
                assertThat(floor.id()).isLessThanOrEqualTo(later);
            }
            slower.commit();
            assertThat(fetch()).containsExactly(later);
            sendAll();
            slow.setAutoCommit(true);
            slower.setAutoCommit(true);
        }
        for (int i = 0; i < 4; i++) {
            assertThat(fetch()).isEmpty();
        }
        assertThat(floor.id()).isGreaterThan(insert("last") - 1);
    }

    /** A requeued row has its old id. */
    @Test
    void aCountThatFindsARowBelowItDropsIt() throws Exception {
        long old = insert("a");
        insert("b");
        sendAll();
        for (int i = 0; i < 4; i++) {
            fetch();
        }
        TestDatabase.run(
                pool,
                "INSERT INTO outbox_events (id, partition_id, topic, message_key, payload) VALUES (" + old
                        + ", 0, 'orders', 'a', '')");
        assertThat(fetch()).isEmpty();
        table.backlog().lowestId(SLICE).ifPresent(floor::seen);
        assertThat(fetch()).containsExactly(old);
    }

    /** Of a writer that knows no partitions: the row gets its partition later, and a later row of its key must not come before. */
    @Test
    void itStaysBelowARowThatHasNoPartitionYet() throws Exception {
        long without = insert("a");
        TestDatabase.run(pool, "UPDATE outbox_events SET partition_id = NULL");
        insert("b");
        sendAll();
        for (int i = 0; i < 4; i++) {
            assertThat(fetch()).isEmpty();
        }
        assertThat(floor.id()).isLessThanOrEqualTo(without);
        long later = insert("a");
        TestDatabase.run(pool, "UPDATE outbox_events SET partition_id = 0");
        assertThat(fetch()).containsExactly(without, later);
    }

    @Test
    void itStaysBelowARowWhosePartitionNobodyCounts() throws Exception {
        for (int wrong : new int[] {-1, 7, 5_000}) {
            long beyond = insert("a");
            TestDatabase.run(pool, "UPDATE outbox_events SET partition_id = " + wrong);
            insert("b");
            table.finish(0, TOKEN, List.of(insert("c")));
            for (int i = 0; i < 4; i++) {
                fetch();
            }
            assertThat(floor.id()).as("beside partition %s", wrong).isLessThanOrEqualTo(beyond);
            TestDatabase.run(pool, "DELETE FROM outbox_events");
        }
    }

    /** One stray id, far above those of the sequence. */
    @Test
    void whatWasSeenBeforeItWasDroppedIsForgotten() throws Exception {
        TestDatabase.run(
                pool,
                "INSERT INTO outbox_events (id, partition_id, topic, message_key, payload) VALUES (1000000, 0, 'orders',"
                        + " 'stray', '')");
        sendAll();
        for (int i = 0; i < 4; i++) {
            fetch();
        }
        assertThat(floor.id()).isEqualTo(1_000_001);
        long hidden = insert("a");
        table.backlog().lowestId(SLICE).ifPresent(floor::seen);
        assertThat(fetch()).containsExactly(hidden);
        sendAll();
        for (int i = 0; i < 4; i++) {
            assertThat(fetch()).isEmpty();
        }
        assertThat(fetchAfterInsert()).hasSize(1);
    }

    /** As after a failover to a server that is behind: nothing fails, and ids begin lower. */
    @Test
    void inATableThatWasMadeAnewItHidesNothing() throws Exception {
        insert("a");
        insert("b");
        long last = insert("c");
        sendAll();
        for (int i = 0; i < 4; i++) {
            fetch();
        }
        assertThat(floor.id()).isEqualTo(last + 1);
        TestDatabase.run(pool, "TRUNCATE outbox_events RESTART IDENTITY");
        assertThat(fetchAfterInsert()).containsExactly(1L);
        sendAll();
        for (int i = 0; i < 4; i++) {
            assertThat(fetch()).isEmpty();
        }
        assertThat(fetchAfterInsert()).containsExactly(2L);
    }

    private List<Long> fetchAfterInsert() throws SQLException {
        insert("more");
        return fetch();
    }

    /** Rows that are requeued come back under their old ids, one behind the other: none may be below, another above. */
    @Test
    void thereIsNoneWhileDeadRowsOfTheClaimExist() throws Exception {
        for (String key : List.of("a", mine())) {
            insert(key);
        }
        sendAll();
        for (int i = 0; i < 4; i++) {
            fetch();
        }
        assertThat(floor.id()).isNotEqualTo(IdFloor.NONE);
        long dead = insert(mine());
        Row row = table.fetch(SLICE, 1, List.of()).getFirst();
        table.bury(0, TOKEN, List.of(new Burial(row, "never", 1, false)), floor);
        assertThat(floor.id()).isEqualTo(IdFloor.NONE);
        for (int i = 0; i < 5; i++) {
            insert("b");
            sendAll();
            fetch();
            assertThat(floor.id()).isEqualTo(IdFloor.NONE);
        }
        table.requeueAll();
        assertThat(table.assignPartitions(TOKEN, 6, 10)).isOne();
        assertThat(fetch()).containsExactly(dead);
    }

    private static String mine() {
        return IntStream.range(0, 100)
                .mapToObj(n -> "k" + n)
                .filter(SLICE::owns)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whatFailsWhileItIsRaisedCostsNoFetch() throws Exception {
        long waiting = insert("a");
        fetch();
        fetch();
        TestDatabase.run(pool, "ALTER TABLE outbox_dead RENAME TO elsewhere");
        assertThat(fetch()).containsExactly(waiting);
        assertThat(floor.id()).isEqualTo(IdFloor.NONE);
    }

    /** A pool without a free connection says nothing about how long a fetch takes. */
    @Test
    void waitingForAConnectionIsNoSlowFetch() {
        long[] elapsed = {0};
        HikariDataSource busy = new HikariDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                elapsed[0] += Duration.ofSeconds(31).toNanos();
                throw new SQLTransientConnectionException("no connection is free");
            }
        };
        OutboxTable waiting = new OutboxTable(busy, Keeping.DELETE, () -> elapsed[0]);
        assertThatThrownBy(() -> waiting.fetch(SLICE, 1, LeftOut.keys(List.of()), floor))
                .isInstanceOf(OutboxDatabaseException.class);
        assertThat(floor.waitsLong()).isFalse();
    }

    /** Otherwise it would be no use. */
    @Test
    void theIndexBeginsAtIt() throws Exception {
        String plan = new Database(pool).transaction("explain", session -> {
            session.execute("SET LOCAL enable_seqscan = off");
            Query query = new Query(session, new IdFloor.Bound(7, "here"))
                    .add("EXPLAIN SELECT e.id")
                    .lowest(SLICE, LeftOut.keys(List.of()), 1);
            StringBuilder lines = new StringBuilder();
            try (PreparedStatement statement = query.prepare();
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    lines.append(rows.getString(1)).append('\n');
                }
            }
            return lines.toString();
        });
        assertThat(plan).containsPattern("Index Cond: .*id >= CASE");
    }

    /** How long a fetch takes beside dead rows that a reader's snapshot keeps from vacuum. Prints its figures. */
    @Test
    @Tag("soak")
    void fetchesBesideALongSnapshot() throws Exception {
        try (Connection reader = pool.getConnection()) {
            reader.setAutoCommit(false);
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            for (int dead = 0; dead < 2_000_000; ) {
                TestDatabase.run(
                        pool,
                        "INSERT INTO outbox_events (partition_id, topic, message_key, payload) SELECT 0, 'orders',"
                                + " 'k' || n, convert_to(repeat('x', 100), 'UTF8') FROM generate_series(1, 500000) n");
                if (dead == 0) {
                    reader.createStatement().execute("SELECT COUNT(*) FROM outbox_events");
                }
                TestDatabase.run(pool, "DELETE FROM outbox_events");
                dead += 500_000;
                insert("a");
                List<Long> without = new ArrayList<>();
                List<Long> with = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    without.add(millis(() -> table.fetch(SLICE, 500, List.of())));
                    with.add(millis(this::fetch));
                }
                System.out.println(
                        dead + " dead rows: a fetch takes " + without + " ms without, " + with + " ms with a floor");
                sendAll();
            }
            reader.rollback();
            reader.setAutoCommit(true);
        }
    }

    private static long millis(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return (System.nanoTime() - start) / 1_000_000;
    }
}
