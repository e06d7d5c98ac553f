package dev.sluice.outbox.table;

import dev.sluice.jdbc.JdbcCoordinationStore;
import dev.sluice.model.InvalidInputException;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongConsumer;
import javax.sql.DataSource;

/**
 * Makes the tables of an outbox, and takes older ones forward and back while it is in use. The scripts are resources
 * {@code dev/sluice/outbox/{postgresql,mariadb,h2}/V*.sql} for migration tools; {@code docs/outbox.md} says in which order
 * what is rolled out.
 */
public final class OutboxSchema {
    /** Small enough that a chunk's locks are held for some milliseconds. */
    private static final int CHUNK = 1_000;

    private static final int NO_TABLE = 0;
    private static final int GLOBAL_LOCK = 1;
    private static final int PARTITIONED = 2;

    private OutboxSchema() {}

    /**
     * Makes all tables that are not there yet, those of the coordination store included. Running it again, or on several
     * nodes at once, is harmless.
     *
     * @throws InvalidInputException when there are rows in a table of the old layout, which {@link #migrate} takes forward
     */
    public static void create(DataSource source) {
        JdbcCoordinationStore.createTables(source);
        new Database(source).statement("create its tables", session -> {
            try (SchemaLock lock = SchemaLock.take(session)) {
                if (version(session) == GLOBAL_LOCK && session.exists("SELECT 1 FROM outbox_events LIMIT 1")) {
                    throw new InvalidInputException("outbox_events has the layout of a global lock, and rows;"
                            + " take it forward with OutboxSchema.migrate or `sluice outbox migrate`");
                }
                SchemaScript script = new SchemaScript(lock.session());
                script.run(SchemaScript.EVENTS, false);
                script.run(SchemaScript.PARTITIONS, false);
                script.run(SchemaScript.INDEXES, false);
                return true;
            }
        });
    }

    /**
     * 0 when there is no table, 1 when it has the layout of a global lock or is on its way from there, 2 when it has partitions,
     * to the last index.
     */
    public static int version(DataSource source) {
        return new Database(source).statement("look at its tables", OutboxSchema::version);
    }

    private static int version(Session session) throws SQLException {
        Columns columns = Columns.of(session, SchemaScript.EVENTS_TABLE);
        if (columns.isEmpty()) {
            return NO_TABLE;
        }
        return columns.has("partition_id") && new SchemaScript(session).isComplete() ? PARTITIONED : GLOBAL_LOCK;
    }

    /**
     * Takes a table with the layout of a global lock forward while writers write and relays send: adds columns, tables and
     * indexes, then gives all rows that were there by then their partition ids in short transactions. Interrupted, it goes on where it was when it
     * is run again. On H2 nobody may write meanwhile: its ALTER TABLE copies the table and swaps it.
     *
     * @param partitions as many as the writers of the new kind count
     * @return how many rows have got a partition id
     */
    public static long migrate(DataSource source, int partitions) {
        return migrate(source, partitions, rows -> {});
    }

    /** @param progress told after each chunk how many rows have got a partition id so far */
    public static long migrate(DataSource source, int partitions, LongConsumer progress) {
        Slice.requirePartitions(partitions);
        JdbcCoordinationStore.createTables(source);
        Database database = new Database(source);
        database.statement("migrate its tables", session -> {
            try (SchemaLock lock = SchemaLock.take(session)) {
                SchemaScript script = new SchemaScript(lock.session());
                script.run(SchemaScript.EVENTS, true);
                script.run(SchemaScript.PARTITIONS, true);
                script.run(SchemaScript.INDEXES, true);
                return true;
            }
        });
        PartitionIds ids = new PartitionIds(database, partitions);
        long last = ids.highestId();
        long all = 0;
        int some = CHUNK;
        while (some == CHUNK) {
            some = ids.assign(last, CHUNK);
            all += some;
            progress.accept(all);
        }
        return all;
    }

    /**
     * Gives all pending rows the partition ids of another number of partitions, in short transactions. The writers must
     * already count the new number.
     *
     * @return how many rows have got another partition id
     * @throws InvalidInputException when rows of another number of partitions go on coming
     */
    public static long repartition(DataSource source, int partitions) {
        return repartition(source, partitions, rows -> {});
    }

    /** @param progress told after each chunk how many rows have got another partition id so far */
    public static long repartition(DataSource source, int partitions, LongConsumer progress) {
        Slice.requirePartitions(partitions);
        return new PartitionIds(new Database(source), partitions).correct(CHUNK, progress);
    }

    /**
     * Takes the tables back to the layout of a global lock. Writers of the new kind must be gone, relays of the new kind
     * too; pending rows stay. Tables that hold dead or sent rows stay as well.
     */
    public static void migrateBack(DataSource source) {
        new Database(source).statement("take its tables back", session -> {
            try (SchemaLock lock = SchemaLock.take(session)) {
                if (version(session) != NO_TABLE) {
                    back(lock.session());
                }
                return true;
            }
        });
    }

    private static void back(Session session) throws SQLException {
        SchemaScript script = new SchemaScript(session);
        for (String index : List.of("outbox_events_urgent", "outbox_events_pending")) {
            if (session.exists(session.dialect().findIndex(), index)) {
                script.patiently(session.dialect().dropIndex(index));
            }
        }
        for (String column : List.of("priority", "partition_id")) {
            if (Columns.of(session, SchemaScript.EVENTS_TABLE).has(column)) {
                script.patiently("ALTER TABLE outbox_events DROP COLUMN " + column);
            }
        }
        for (String table : List.of("outbox_partitions", "outbox_parked", "outbox_keys")) {
            script.patiently("DROP TABLE IF EXISTS " + table);
        }
        for (String table : List.of("outbox_dead", "outbox_sent")) {
            if (!Columns.of(session, table).isEmpty() && !session.exists("SELECT 1 FROM " + table + " LIMIT 1")) {
                script.patiently("DROP TABLE " + table);
            }
        }
    }
}
