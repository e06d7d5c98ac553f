package dev.sluice.outbox.table;

import dev.sluice.model.FencingToken;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * The tokens in {@code outbox_partitions}: who may finish rows. A row of it is locked by whoever finishes until the end of
 * that transaction, so that after a claim no transaction of the owner before can come to its end.
 */
final class Owner {
    private static final String OWNED = " WHERE partition_id = ? AND generation = ? AND epoch = ?";
    private static final String FIND = "SELECT 1 FROM outbox_partitions" + OWNED;
    /** One batch after the other; the same once more is harmless. */
    private static final String COUNT = "UPDATE outbox_partitions SET batch = ?" + OWNED + " AND batch IN (?, ?)";

    /** The row that says which outbox it is, in place of a partition: by its generation. */
    private static final int IDENTITY = -2;

    private static final String NO_IDENTITY = "partition_id <> " + IDENTITY;

    private Owner() {}

    /** To be called in a transaction. Whoever is first draws it for all. */
    static String identity(Session session) throws SQLException {
        List<Long> known = session.query(
                "SELECT generation FROM outbox_partitions WHERE partition_id = " + IDENTITY, row -> row.getLong(1));
        if (!known.isEmpty()) {
            return HexFormat.of().toHexDigits(known.getFirst());
        }
        long drawn = ThreadLocalRandom.current().nextLong();
        session.update(
                "INSERT INTO outbox_partitions (partition_id, generation, epoch) VALUES (?, ?, 1)", IDENTITY, drawn);
        return HexFormat.of().toHexDigits(drawn);
    }

    /** To be called in a transaction. @return the last batch of each partition whose rows are gone */
    static Map<Integer, Long> claim(Session session, int partition, FencingToken token) throws SQLException {
        record Known(int partition, FencingToken token, long batch) {}
        lock(session, partition, token);
        List<Known> known = session.query(
                "SELECT partition_id, generation, epoch, batch FROM outbox_partitions WHERE " + NO_IDENTITY,
                row -> new Known(row.getInt(1), new FencingToken(row.getLong(2), row.getLong(3)), row.getLong(4)));
        for (Known other : known) {
            if (other.token().generation() > token.generation()
                    || other.partition() == partition && token.isOlderThan(other.token())) {
                throw new FencedException(partition, token, other.token());
            }
        }
        // Another number of partitions: whoever still works under the old one must finish nothing more, anywhere.
        if (known.stream().anyMatch(other -> other.token().generation() < token.generation())) {
            session.update(
                    "UPDATE outbox_partitions SET generation = ?, epoch = 0 WHERE generation < ? AND " + NO_IDENTITY,
                    token.generation(),
                    token.generation());
        }
        if (known.stream().anyMatch(other -> other.partition() == partition)) {
            session.update(
                    "UPDATE outbox_partitions SET generation = ?, epoch = ? WHERE partition_id = ?",
                    token.generation(),
                    token.epoch(),
                    partition);
        } else {
            session.update(
                    "INSERT INTO outbox_partitions (generation, epoch, partition_id) VALUES (?, ?, ?)",
                    token.generation(),
                    token.epoch(),
                    partition);
        }
        return known.stream().collect(Collectors.toMap(Known::partition, Known::batch));
    }

    /** A new generation concerns all rows, locked in one order by all; else a claim waits only for its own partition. */
    private static void lock(Session session, int partition, FencingToken token) throws SQLException {
        if (session.exists(
                "SELECT 1 FROM outbox_partitions WHERE generation < ? AND " + NO_IDENTITY + " LIMIT 1",
                token.generation())) {
            session.query(
                    "SELECT 1 FROM outbox_partitions WHERE " + NO_IDENTITY + " ORDER BY partition_id FOR UPDATE",
                    row -> true);
        } else {
            session.query("SELECT 1 FROM outbox_partitions WHERE partition_id = ? FOR UPDATE", row -> true, partition);
        }
    }

    static Map<Integer, FencingToken> all(Session session) throws SQLException {
        Map<Integer, FencingToken> tokens = new TreeMap<>();
        session.query(
                "SELECT partition_id, generation, epoch FROM outbox_partitions WHERE " + NO_IDENTITY,
                row -> tokens.put(row.getInt(1), new FencingToken(row.getLong(2), row.getLong(3))));
        return tokens;
    }

    /** To be called in a transaction: whether the token is the one that counts, until the end of this transaction. */
    static boolean holds(Session session, int partition, FencingToken token) throws SQLException {
        return session.exists(FIND + " FOR UPDATE", partition, token.generation(), token.epoch());
    }

    /**
     * To be called in a transaction, in place of {@link #holds}: writes down that this batch's rows are gone.
     *
     * @return false when the token is not the one that counts, or another batch than the one before was the last
     */
    static boolean counts(Session session, int partition, FencingToken token, long batch) throws SQLException {
        return session.update(COUNT, counting(partition, token, batch)) > 0;
    }

    /** {@link #holds} as a part of a larger statement of PostgreSQL. */
    static String find() {
        return FIND + " FOR SHARE";
    }

    /** {@link #counts} as a part of a larger statement of PostgreSQL. */
    static String count() {
        return COUNT + " RETURNING 1";
    }

    /** What is bound to it. */
    static Object[] counting(int partition, FencingToken token, long batch) {
        return new Object[] {batch, partition, token.generation(), token.epoch(), batch - 1, batch};
    }
}
