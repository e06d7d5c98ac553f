package dev.sluice.outbox.table;

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
        return database.transaction("give rows their partition ids", session -> {
            List<Keyed> rows = session.query(
                    "SELECT id, message_key, partition_id FROM outbox_events WHERE partition_id IS NULL AND status = 0"
                            + " AND id <= ? ORDER BY partition_id, status, id LIMIT ?",
                    Keyed::read,
                    last,
                    limit);
            return move(session, rows);
        });
    }

    /** The highest id of now: a migration ends there, however quickly others go on writing. */
    long highestId() {
        return database.statement(
                "look for its highest id",
                session -> session.query("SELECT COALESCE(MAX(id), 0) FROM outbox_events", row -> row.getLong(1))
                        .getFirst());
    }

    /** Goes over all pending rows again and again until each has the partition id it should have. */
    long correct(int chunk, LongConsumer progress) {
        long all = 0;
        while (true) {
            long before = all;
            long moved = sweep(chunk, highestId(), some -> progress.accept(before + some));
            all += moved;
            if (moved == 0) {
                return all;
            }
        }
    }

    private long sweep(int chunk, long last, LongConsumer progress) {
        long[] moved = {0};
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
                moved[0] += move(
                        session,
                        some.stream()
                                .filter(row -> target(row) != row.partition())
                                .toList());
                return some;
            });
            progress.accept(moved[0]);
            if (rows.size() < chunk) {
                return moved[0];
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
