package dev.sluice.outbox.table;

import dev.sluice.model.FencingToken;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/** Rows that were given up: into {@code outbox_dead} and back. */
final class DeadRows {
    private static final int CHUNK = 1_000;
    /** How many rows one statement buries, each with its own reason. */
    private static final int TOGETHER = 100;

    private final Database database;

    DeadRows(Database database) {
        this.database = database;
    }

    boolean bury(int partition, FencingToken token, Collection<Burial> burials) {
        return database.transaction("store dead rows", session -> {
            if (!Owner.holds(session, partition, token)) {
                return false;
            }
            for (List<Burial> some : chunks(List.copyOf(burials))) {
                insert(session, some);
                session.update("DELETE FROM outbox_events WHERE "
                        + OutboxDialect.in(
                                "id", some.stream().map(dead -> dead.row().id()).toList()));
            }
            ParkedKeys.remove(
                    session, burials.stream().map(dead -> dead.row().key()).toList());
            return true;
        });
    }

    private static List<List<Burial>> chunks(List<Burial> all) {
        return IntStream.iterate(0, from -> from < all.size(), from -> from + TOGETHER)
                .mapToObj(from -> all.subList(from, Math.min(all.size(), from + TOGETHER)))
                .toList();
    }

    /** One statement: a batch of such ones MariaDB does not take. */
    private static void insert(Session session, List<Burial> some) throws SQLException {
        OutboxDialect dialect = session.dialect();
        String dead = "SELECT CAST(? AS " + dialect.bigInteger() + ") AS dead_id, CAST(? AS " + dialect.text()
                + ") AS why, CAST(? AS " + dialect.integer() + ") AS tried, ";
        String events = "e." + Finish.COLUMNS.replace(", ", ", e.");
        Query query = new Query(session)
                .add("INSERT INTO outbox_dead (" + Finish.COLUMNS + ", reason, attempts, later_rows_sent) SELECT "
                        + events + ", d.why, d.tried, d.later FROM outbox_events e JOIN (");
        String next = "";
        for (Burial one : some) {
            query.add(next + dead + (one.laterRowsSent() ? "TRUE" : "FALSE") + " AS later")
                    .with(one.row().id(), one.reason(), one.attempts());
            next = " UNION ALL ";
        }
        try (PreparedStatement statement = query.add(") d ON e.id = d.dead_id").prepare()) {
            statement.executeUpdate();
        }
    }

    List<Dead> list(int limit, long after) {
        return database.statement(
                "list dead rows",
                session -> session.query(
                        "SELECT id, topic, message_key, type, OCTET_LENGTH(payload), reason, attempts, "
                                + session.dialect().instant("dead_at")
                                + ", later_rows_sent FROM outbox_dead WHERE id > ? ORDER BY id LIMIT ?",
                        row -> new Dead(
                                row.getLong(1),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                row.getLong(5),
                                row.getString(6),
                                row.getInt(7),
                                session.dialect().instant(row, 8),
                                row.getBoolean(9)),
                        after,
                        limit));
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
