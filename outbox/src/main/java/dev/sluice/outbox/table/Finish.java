package dev.sluice.outbox.table;

import dev.sluice.model.FencingToken;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/** Takes rows that were sent out of the table: one statement on PostgreSQL, one transaction elsewhere. */
final class Finish {
    private static final int CHUNK = 1_000;
    /** What a row takes along when it leaves. */
    static final String COLUMNS = "id, partition_id, topic, message_key, type, payload, headers, priority, created_at";

    private static final String DELETE =
            "), gone AS (DELETE FROM outbox_events WHERE id = ANY (?) AND EXISTS (SELECT 1 FROM owner)";
    private static final String DONE = ") SELECT 1 FROM owner";
    private static final String KEEP = " RETURNING " + COLUMNS + "), kept AS (INSERT INTO outbox_sent (" + COLUMNS
            + ") SELECT " + COLUMNS + " FROM gone";
    private static final String HELD = "WITH owner AS MATERIALIZED (" + Owner.find() + DELETE;
    private static final String COUNTED = "WITH owner AS (" + Owner.count() + DELETE;
    static final String POSTGRESQL_DELETE = HELD + DONE;

    private final Database database;
    private final Keeping keeping;

    Finish(Database database, Keeping keeping) {
        this.database = database;
        this.keeping = keeping;
    }

    /** @param batch to be written down with it, by who counts batches */
    boolean rows(int partition, FencingToken token, Collection<Long> ids, OptionalLong batch) {
        return database.dialect() == OutboxDialect.POSTGRESQL
                ? database.statement("finish rows", session -> inOneStatement(session, partition, token, ids, batch))
                : database.transaction(
                        "finish rows", session -> inOneTransaction(session, partition, token, ids, batch));
    }

    private boolean inOneStatement(
            Session session, int partition, FencingToken token, Collection<Long> ids, OptionalLong batch)
            throws SQLException {
        List<Object> values = new ArrayList<>(
                batch.isPresent()
                        ? List.of(Owner.counting(partition, token, batch.getAsLong()))
                        : List.of(partition, token.generation(), token.epoch()));
        values.add(session.array("bigint", ids));
        String sql = (batch.isPresent() ? COUNTED : HELD) + (keeping == Keeping.KEEP ? KEEP : "") + DONE;
        return session.exists(sql, values.toArray());
    }

    private boolean inOneTransaction(
            Session session, int partition, FencingToken token, Collection<Long> ids, OptionalLong batch)
            throws SQLException {
        boolean ours = batch.isPresent()
                ? Owner.counts(session, partition, token, batch.getAsLong())
                : Owner.holds(session, partition, token);
        if (!ours) {
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
