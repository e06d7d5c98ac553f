package dev.sluice.outbox.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Making the tables, and changing their layout while they are in use, on every database. */
abstract class OutboxSchemaContract {
    private static final FencingToken TOKEN = new FencingToken(1, 1);

    private final TestDatabase database;
    private HikariDataSource pool;

    OutboxSchemaContract(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void open() {
        pool = database.empty();
    }

    @AfterEach
    void close() {
        pool.close();
    }

    void createOldLayout() {
        new Database(pool).statement("create the old layout", session -> {
            new SchemaScript(session).run(SchemaScript.EVENTS, false);
            return true;
        });
    }

    /** As an application did that never heard of partitions. */
    static void insertOld(Connection connection, String key) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO outbox_events (topic, message_key, type, payload) VALUES ('orders', ?, 'old', ?)")) {
            insert.setString(1, key);
            insert.setBytes(2, new byte[100]);
            insert.executeUpdate();
        }
    }

    void fillOld(int rows) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            for (int k = 0; k < rows; k++) {
                insertOld(connection, "before-" + k);
            }
            connection.commit();
        }
    }

    /** Takes all rows out by slices, as relays would: their keys in the order they came. */
    List<String> drain(int claims, int total) {
        OutboxTable table = new OutboxTable(pool, Keeping.DELETE);
        List<String> keys = new ArrayList<>();
        for (int claim = 0; claim < claims; claim++) {
            table.claim(claim, TOKEN);
            List<Row> rows;
            while (!(rows = table.fetch(new Slice(claim, claims, total), 500, List.of())).isEmpty()) {
                rows.forEach(row -> keys.add(row.key()));
                table.finish(claim, TOKEN, rows.stream().map(Row::id).toList());
            }
        }
        return keys;
    }

    @Test
    void manyMayCreateTheTablesAtOnceAndAgain() throws SQLException {
        List<CompletableFuture<Void>> creations = IntStream.range(0, 4)
                .mapToObj(k -> CompletableFuture.runAsync(() -> OutboxSchema.create(pool)))
                .toList();
        creations.forEach(CompletableFuture::join);
        OutboxSchema.create(pool);
        assertThat(OutboxSchema.version(pool)).isEqualTo(2);
        assertThat(new OutboxTable(pool, Keeping.DELETE).fetch(Slice.all(), 1, List.of()))
                .isEmpty();
        assertThat(TestDatabase.ask(pool, "SELECT COUNT(*) FROM sluice_coordination"))
                .containsExactly("1");
    }

    @Test
    void aTableWithRowsInTheOldLayoutIsLeftToTheMigration() throws SQLException {
        assertThat(OutboxSchema.version(pool)).isZero();
        createOldLayout();
        fillOld(1);
        assertThat(OutboxSchema.version(pool)).isEqualTo(1);
        assertThatThrownBy(() -> OutboxSchema.create(pool))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("migrate");
        assertThatThrownBy(() -> OutboxSchema.migrate(pool, 1_025)).isInstanceOf(InvalidInputException.class);
        assertThat(OutboxSchema.version(pool)).isEqualTo(1);
    }

    @Test
    void rowsGoThroughTheMigrationForwardAndBack() throws SQLException {
        createOldLayout();
        fillOld(1_200);
        List<String> written =
                IntStream.range(0, 1_200).mapToObj(k -> "before-" + k).toList();
        assertThat(OutboxSchema.migrate(pool, 6)).isEqualTo(1_200);
        assertThat(OutboxSchema.migrate(pool, 6)).isZero();
        OutboxSchema.migrateBack(pool);
        OutboxSchema.migrateBack(pool);
        assertThat(OutboxSchema.version(pool)).isEqualTo(1);
        assertThat(TestDatabase.ask(pool, "SELECT message_key FROM outbox_events ORDER BY id"))
                .isEqualTo(written);
        assertThat(OutboxSchema.migrate(pool, 3)).isEqualTo(1_200);
        assertThat(drain(3, 3)).containsExactlyInAnyOrderElementsOf(written);
    }

    @Test
    void migratingBackKeepsDeadRows() throws SQLException {
        OutboxSchema.create(pool);
        OutboxTable table = new OutboxTable(pool, Keeping.DELETE);
        table.claim(0, TOKEN);
        fillOld(2);
        Row row = table.fetch(Slice.all(), 1, List.of()).getFirst();
        table.bury(0, TOKEN, List.of(new Burial(row, "bad", 1, false)));
        OutboxSchema.migrateBack(pool);
        assertThat(TestDatabase.ask(pool, "SELECT id FROM outbox_dead")).containsExactly("" + row.id());
        OutboxSchema.migrate(pool, 6);
        assertThat(table.requeueAll()).isEqualTo(1);
        assertThat(table.fetch(Slice.all(), 10, List.of())).hasSize(2);
    }

    @Test
    void morePartitionsAreGivenOutWhileRowsAreTakenInOrder() throws SQLException {
        OutboxSchema.create(pool);
        Outbox six = Outbox.builder().partitions(6).build();
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            six.append(
                    connection,
                    IntStream.range(0, 3_000)
                            .mapToObj(k -> OutboxMessage.to("orders")
                                    .key("k" + k % 100)
                                    .build())
                            .toList());
            connection.commit();
        }
        OutboxTable table = new OutboxTable(pool, Keeping.DELETE);
        CompletableFuture<Long> moved = CompletableFuture.supplyAsync(() -> OutboxSchema.repartition(pool, 12));
        Map<String, Long> last = new HashMap<>();
        AtomicInteger taken = new AtomicInteger();
        for (int claim = 0; taken.get() < 2_500; claim = (claim + 1) % 6) {
            table.claim(claim, TOKEN);
            List<Row> rows = table.fetch(new Slice(claim, 6, 12), 60, List.of());
            rows.forEach(row -> {
                assertThat(row.id()).isGreaterThan(last.getOrDefault(row.key(), 0L));
                last.put(row.key(), row.id());
                taken.incrementAndGet();
            });
            table.finish(claim, TOKEN, rows.stream().map(Row::id).toList());
        }
        assertThat(moved.join()).isPositive();
        assertThat(table.fetch(Slice.all(), 1_000, List.of()))
                .hasSize(3_000 - taken.get())
                .allMatch(row -> KeyHash.partition(row.key(), 12) == row.partition());
        assertThat(OutboxSchema.repartition(pool, 12)).isZero();
    }

    /** What a test of one database needs besides. */
    HikariDataSource pool() {
        return pool;
    }
}
