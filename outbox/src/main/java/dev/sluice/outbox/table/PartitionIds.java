package dev.sluice.outbox.table;

import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongConsumer;

/** Gives rows the partition ids that belong to their keys, a chunk at a time, each a short transaction. */
final class PartitionIds {
    /** A row whose partition id is to be looked at. */
    private record Keyed(long id, String key, int partition) {
        static Keyed read(ResultSet row) throws SQLException {
            int partition = row.getInt(3);
            return new Keyed(row.getLong(1), row.getString(2), row.wasNull() ? -1 : partition);
        }
    }

    /** Rows that were committed late are found by the next sweep; whoever finds some again and again has writers to wait for. */
    private static final int SWEEPS = 5;

    /** No id, or one that no number of partitions gives: of a writer that reckons wrong. Three conditions, for the index. */
    private static final List<String> WITHOUT =
            List.of("partition_id IS NULL", "partition_id < 0", "partition_id >= " + Slice.MOST_PARTITIONS);

    private static final String ASSIGN = "give rows their partition ids";

    private final Database database;
    private final int total;

    PartitionIds(Database database, int total) {
        this.database = database;
        this.total = total;
    }

    /**
     * @param last the highest id that matters
     * @return how many rows without one have got theirs; fewer than asked for when that was all
     */
    int assign(long last, int limit) {
        return database.transaction(ASSIGN, session -> assign(session, last, limit));
    }

    /** The same by the owner of partition 0, as long as it is that: one of an older count would give other ids. */
    int assignAs(FencingToken token, int limit) {
        return database.transaction(
                ASSIGN, session -> Owner.holds(session, 0, token) ? assign(session, Long.MAX_VALUE, limit) : 0);
    }

    private int assign(Session session, long last, int limit) throws SQLException {
        int moved = 0;
        for (String without : WITHOUT) {
            List<Keyed> rows = session.query(
                    "SELECT id, message_key, partition_id FROM outbox_events WHERE " + without + " AND status = 0"
                            + " AND id <= ? ORDER BY partition_id, status, id LIMIT ?",
                    Keyed::read,
                    last,
                    limit - moved);
            moved += move(session, rows);
        }
        return moved;
    }

    /** The highest id of now: a migration ends there, however quickly others go on writing. */
    long highestId() {
        return database.statement(
                "look for its highest id",
                session -> session.query("SELECT COALESCE(MAX(id), 0) FROM outbox_events", row -> row.getLong(1))
                        .getFirst());
    }

    /** What a sweep over all pending rows found. @param wrong those of them that had a partition id, of another count */
    private record Swept(long moved, long wrong) {}

    /**
     * Goes over all pending rows until each has the partition id it should have; those of writers that give none may come
     * behind.
     *
     * @throws InvalidInputException when writers go on writing ids of another count
     */
    long correct(int chunk, LongConsumer progress) {
        long all = 0;
        for (int sweeps = 0; sweeps < SWEEPS; sweeps++) {
            long before = all;
            Swept swept = sweep(chunk, highestId(), some -> progress.accept(before + some));
            all += swept.moved();
            if (swept.wrong() == 0) {
                return all;
            }
        }
        throw new InvalidInputException("new rows still come with other partition ids than those of " + total
                + " partitions: restart all writers with " + total + ", then do this again");
    }

    private Swept sweep(int chunk, long last, LongConsumer progress) {
        long[] moved = {0};
        long[] wrong = {0};
        long after = Long.MIN_VALUE;
        while (true) {
            long from = after;
            List<Keyed> rows = database.transaction("give rows other partition ids", session -> {
                List<Keyed> some = session.query(
                        "SELECT id, message_key, partition_id FROM outbox_events WHERE id > ? AND id <= ? AND status = 0"
                                + " ORDER BY id LIMIT ?",
                        Keyed::read,
                        from,
                        last,
                        chunk);
                List<Keyed> elsewhere = some.stream()
                        .filter(row -> target(row) != row.partition())
                        .toList();
                moved[0] += move(session, elsewhere);
                wrong[0] +=
                        elsewhere.stream().filter(row -> row.partition() >= 0).count();
                return some;
            });
            progress.accept(moved[0]);
            if (rows.size() < chunk) {
                return new Swept(moved[0], wrong[0]);
            }
            after = rows.getLast().id();
        }
    }

    private int target(Keyed row) {
        return KeyHash.partition(row.key(), total);
    }

    private int move(Session session, List<Keyed> rows) throws SQLException {
        if (rows.isEmpty()) {
            return 0;
        }
        return session.dialect() == OutboxDialect.POSTGRESQL ? moveAtOnce(session, rows) : moveInBatch(session, rows);
    }

    private int moveAtOnce(Session session, List<Keyed> rows) throws SQLException {
        session.update(
                "UPDATE outbox_events e SET partition_id = n.partition_id FROM unnest(?, ?) AS n (id, partition_id)"
                        + " WHERE e.id = n.id",
                session.array("bigint", rows.stream().map(Keyed::id).toList()),
                session.array("integer", rows.stream().map(this::target).toList()));
        return rows.size();
    }

    private int moveInBatch(Session session, List<Keyed> rows) throws SQLException {
        try (PreparedStatement update =
                session.connection().prepareStatement("UPDATE outbox_events SET partition_id = ? WHERE id = ?")) {
            for (Keyed row : rows) {
                update.setInt(1, target(row));
                update.setLong(2, row.id());
                update.addBatch();
            }
            update.executeBatch();
        }
        return rows.size();
    }
}
