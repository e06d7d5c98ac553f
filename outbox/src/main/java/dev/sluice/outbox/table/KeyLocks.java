package dev.sluice.outbox.table;

import dev.sluice.model.Fnv1a64;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/**
 * Makes writers of one key wait for each other until they commit. The lock is taken before the row gets its id: whoever has
 * the higher id of a key has therefore seen the lower one committed. Locks are of hashes, so two keys may share one; they
 * are taken in one order, so batches do not block each other for ever.
 */
public final class KeyLocks {
    /** As many as {@code outbox_keys} has rows. */
    static final int SLOTS = 1_024;

    private KeyLocks() {}

    /** To be called in a transaction, before the rows of these keys are inserted. */
    public static void take(Connection connection, Collection<String> keys) throws SQLException {
        Session session = new Session(connection, OutboxDialect.of(connection));
        if (session.dialect() == OutboxDialect.POSTGRESQL) {
            advisory(session, keys);
        } else {
            slots(session, keys);
        }
    }

    private static void advisory(Session session, Collection<String> keys) throws SQLException {
        List<Long> hashes = keys.stream().map(Fnv1a64::hash).distinct().sorted().toList();
        try (PreparedStatement lock =
                session.connection().prepareStatement("SELECT pg_advisory_xact_lock(h) FROM unnest(?) AS h")) {
            lock.setObject(1, session.array("bigint", hashes));
            // All rows, whatever the connection's default is: a lock is taken when its row is read.
            lock.setFetchSize(0);
            lock.execute();
        }
    }

    private static void slots(Session session, Collection<String> keys) throws SQLException {
        List<Integer> slots = keys.stream()
                .map(key -> KeyHash.partition(key, SLOTS))
                .distinct()
                .sorted()
                .toList();
        List<Integer> locked = session.query(
                "SELECT slot FROM outbox_keys WHERE " + OutboxDialect.in("slot", slots) + " ORDER BY slot FOR UPDATE",
                row -> row.getInt(1));
        if (locked.size() < slots.size()) {
            throw new SQLException(
                    "outbox_keys lacks rows, without which strict_key_order locks nothing: fill it as OutboxSchema does",
                    "42000");
        }
    }
}
