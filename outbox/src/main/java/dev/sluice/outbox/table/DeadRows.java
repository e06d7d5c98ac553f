package dev.sluice.outbox.table;

import dev.sluice.model.FencingToken;
import java.sql.SQLException;
import java.util.List;

/** Rows that were given up: into {@code outbox_dead} and back. */
final class DeadRows {
    private static final int CHUNK = 1_000;

    private final Database database;

    DeadRows(Database database) {
        this.database = database;
    }

    boolean bury(int partition, FencingToken token, Row row, String reason, int attempts, boolean laterRowsSent) {
        return database.transaction("store a dead row", session -> {
            if (!Owner.holds(session, partition, token)) {
                return false;
            }
            session.update(
                    "INSERT INTO outbox_dead (" + Finish.COLUMNS + ", reason, attempts, later_rows_sent) SELECT "
                            + Finish.COLUMNS + ", CAST(? AS "
                            + session.dialect().text() + "), CAST(? AS "
                            + session.dialect().integer() + "), " + (laterRowsSent ? "TRUE" : "FALSE")
                            + " FROM outbox_events WHERE id = ?",
                    reason,
                    attempts,
                    row.id());
            session.update("DELETE FROM outbox_events WHERE id = ?", row.id());
            ParkedKeys.remove(session, row.key());
            return true;
        });
    }

    List<Dead> list(int limit, long after) {
        return database.statement("list dead rows", session -> {
            RowReader reader = new RowReader(session.dialect());
            int next = RowReader.NEXT_COLUMN;
            return session.query(
                    "SELECT " + RowReader.columns(session.dialect(), "e.payload") + ", e.reason, e.attempts, "
                            + session.dialect().instant("e.dead_at") + ", e.later_rows_sent"
                            + " FROM outbox_dead e WHERE e.id > ? ORDER BY e.id LIMIT ?",
                    row -> new Dead(
                            reader.row(row, row.getBytes(RowReader.PAYLOAD_COLUMN)),
                            row.getString(next),
                            row.getInt(next + 1),
                            session.dialect().instant(row, next + 2),
                            row.getBoolean(next + 3)),
                    after,
                    limit);
        });
    }

    /**
     * Puts rows back in chunks, each under its old id, so that those of one key come in their old order. They come without
     * a partition id, since the number of partitions may have changed meanwhile.
     *
     * @param condition on {@code outbox_dead}
     */
    int requeue(String condition, Object... values) {
        int all = 0;
        while (true) {
            int some = database.transaction("requeue dead rows", session -> requeueSome(session, condition, values));
            all += some;
            if (some < CHUNK) {
                return all;
            }
        }
    }

    private static int requeueSome(Session session, String condition, Object... values) throws SQLException {
        List<Long> ids = session.query(
                "SELECT id FROM outbox_dead WHERE " + condition + " ORDER BY id LIMIT " + CHUNK + " FOR UPDATE",
                row -> row.getLong(1),
                values);
        if (ids.isEmpty()) {
            return 0;
        }
        String chosen = OutboxDialect.in("id", ids);
        String same = Finish.COLUMNS.replace("partition_id, ", "");
        session.update("INSERT INTO outbox_events (" + same + ") SELECT " + same + " FROM outbox_dead WHERE " + chosen);
        session.update("DELETE FROM outbox_dead WHERE " + chosen);
        return ids.size();
    }
}
