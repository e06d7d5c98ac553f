package dev.sluice.outbox.table;

import dev.sluice.model.FencingToken;
import java.sql.SQLException;
import java.util.List;

/** Keys that wait because of one row, in {@code outbox_parked}. */
final class ParkedKeys {
    private final Database database;

    ParkedKeys(Database database) {
        this.database = database;
    }

    /** Those whose row is still there: it may have been sent by an owner who died before it said so here. */
    List<Parked> of(Slice slice) {
        return database
                .statement(
                        "list parked keys",
                        session -> session.query(
                                "SELECT p.message_key, p.row_id, p.attempts, "
                                        + session.dialect().instant("p.retry_at")
                                        + ", p.error FROM outbox_parked p WHERE EXISTS"
                                        + " (SELECT 1 FROM outbox_events e WHERE e.id = p.row_id) ORDER BY p.row_id",
                                row -> new Parked(
                                        row.getString(1),
                                        row.getLong(2),
                                        row.getInt(3),
                                        session.dialect().instant(row, 4),
                                        row.getString(5))))
                .stream()
                .filter(parked -> slice.owns(parked.key()))
                .toList();
    }

    boolean park(int partition, FencingToken token, Parked parked) {
        return database.transaction("park a key", session -> {
            if (!Owner.holds(session, partition, token)) {
                return false;
            }
            remove(session, parked.key());
            session.update(
                    "INSERT INTO outbox_parked (message_key, row_id, attempts, retry_at, error) VALUES (?, ?, ?, ?, ?)",
                    parked.key(),
                    parked.rowId(),
                    parked.attempts(),
                    session.dialect().value(parked.retryAt()),
                    parked.error());
            return true;
        });
    }

    boolean unpark(int partition, FencingToken token, String key) {
        return database.transaction("let a parked key go on", session -> {
            if (!Owner.holds(session, partition, token)) {
                return false;
            }
            remove(session, key);
            return true;
        });
    }

    /** A key is parked once, whichever of its rows was the reason. */
    static void remove(Session session, String key) throws SQLException {
        session.update("DELETE FROM outbox_parked WHERE " + session.dialect().equal("message_key"), key);
    }

    int clean() {
        return database.statement(
                "forget parked keys whose row is gone",
                session -> session.update("DELETE FROM outbox_parked WHERE NOT EXISTS"
                        + " (SELECT 1 FROM outbox_events e WHERE e.id = outbox_parked.row_id)"));
    }
}
