package dev.sluice.outbox.table;

import dev.sluice.model.FencingToken;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Takes rows that were sent out of the table: one statement on PostgreSQL, one transaction elsewhere. */
final class Finish {
    private static final int CHUNK = 1_000;
    /** What a row takes along when it leaves. */
    static final String COLUMNS = "id, partition_id, topic, message_key, type, payload, headers, priority, created_at";

    private static final String DELETE_OWNED = "WITH owner AS MATERIALIZED (" + Owner.find()
            + "), gone AS (DELETE FROM outbox_events WHERE id = ANY (?) AND EXISTS (SELECT 1 FROM owner)";
    static final String POSTGRESQL_DELETE = DELETE_OWNED + ") SELECT 1 FROM owner";
    private static final String POSTGRESQL_KEEP = DELETE_OWNED + " RETURNING " + COLUMNS
            + "), kept AS (INSERT INTO outbox_sent (" + COLUMNS + ") SELECT " + COLUMNS
            + " FROM gone) SELECT 1 FROM owner";

    private final Database database;
    private final Keeping keeping;

    Finish(Database database, Keeping keeping) {
        this.database = database;
        this.keeping = keeping;
    }

    boolean rows(int partition, FencingToken token, Collection<Long> ids) {
        return database.dialect() == OutboxDialect.POSTGRESQL
                ? database.statement("finish rows", session -> inOneStatement(session, partition, token, ids))
                : database.transaction("finish rows", session -> inOneTransaction(session, partition, token, ids));
    }

    private boolean inOneStatement(Session session, int partition, FencingToken token, Collection<Long> ids)
            throws SQLException {
        return session.exists(
                keeping == Keeping.KEEP ? POSTGRESQL_KEEP : POSTGRESQL_DELETE,
                partition,
                token.generation(),
                token.epoch(),
                session.array("bigint", ids));
    }

    private boolean inOneTransaction(Session session, int partition, FencingToken token, Collection<Long> ids)
            throws SQLException {
        if (!Owner.holds(session, partition, token)) {
            return false;
        }
        List<Long> all = new ArrayList<>(ids);
        for (int from = 0; from < all.size(); from += CHUNK) {
            String chosen = OutboxDialect.in("id", all.subList(from, Math.min(all.size(), from + CHUNK)));
            if (keeping == Keeping.KEEP) {
                session.update("INSERT INTO outbox_sent (" + COLUMNS + ") SELECT " + COLUMNS
                        + " FROM outbox_events WHERE " + chosen);
            }
            session.update("DELETE FROM outbox_events WHERE " + chosen);
        }
        return true;
    }
}
