package dev.sluice.outbox.table;

import dev.sluice.model.FencingToken;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Keys that wait because of one row, in {@code outbox_parked}. */
final class ParkedKeys {
    private static final long NANOS_OF_A_MICROSECOND = 1_000;

    private final Database database;

    ParkedKeys(Database database) {
        this.database = database;
    }

    /** Those whose row is still there: it may have been sent by an owner who died before it said so here. */
    List<Parked> of(Slice slice) {
        return database
                .statement("list parked keys", session -> {
                    OutboxDialect dialect = session.dialect();
                    return session.query(
                            "SELECT p.message_key, p.row_id, p.attempts, " + dialect.instant("p.retry_at") + ", "
                                    + dialect.instant(dialect.now()) + ", p.error FROM outbox_parked p WHERE EXISTS"
                                    + " (SELECT 1 FROM outbox_events e WHERE e.id = p.row_id) ORDER BY p.row_id",
                            row -> new Parked(
                                    row.getString(1),
                                    row.getLong(2),
                                    row.getInt(3),
                                    Duration.between(dialect.instant(row, 5), dialect.instant(row, 4)),
                                    row.getString(6)));
                })
                .stream()
                .filter(parked -> slice.owns(parked.key()))
                .toList();
    }

    boolean park(int partition, FencingToken token, Collection<Parked> keys) {
        return database.transaction("park keys", session -> {
            if (!Owner.holds(session, partition, token)) {
                return false;
            }
            remove(session, keys.stream().map(Parked::key).toList());
            session.batch(
                    "INSERT INTO outbox_parked (message_key, row_id, attempts, retry_at, error) VALUES (?, ?, ?, "
                            + session.dialect().later() + ", ?)",
                    keys.stream()
                            .map(key -> List.<Object>of(
                                    key.key(),
                                    key.rowId(),
                                    key.attempts(),
                                    key.retryIn().toNanos() / NANOS_OF_A_MICROSECOND,
                                    key.error()))
                            .toList());
            return true;
        });
    }

    boolean unpark(int partition, FencingToken token, Collection<String> keys) {
        return database.transaction("let parked keys go on", session -> {
            if (!Owner.holds(session, partition, token)) {
                return false;
            }
            remove(session, keys);
            return true;
        });
    }

    /** A key is parked once, whichever of its rows was the reason. */
    static void remove(Session session, Collection<String> keys) throws SQLException {
        session.batch(
                "DELETE FROM outbox_parked WHERE " + session.dialect().equal("message_key"),
                keys.stream().map(session.dialect()::equalTo).toList());
    }

    int clean() {
        return database.statement(
                "forget parked keys whose row is gone",
                session -> session.update("DELETE FROM outbox_parked WHERE NOT EXISTS"
                        + " (SELECT 1 FROM outbox_events e WHERE e.id = outbox_parked.row_id)"));
    }
}
