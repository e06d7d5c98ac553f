package dev.sluice.jdbc;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Values and revisions: the rows of {@code sluice_coordination}. A value's revision grows by one with each write. A
 * deleted key leaves no row; the floor row, which no key can name, keeps the highest revision that was ever deleted, and a
 * new key begins above it.
 */
final class Values {
    private static final String FLOOR = "#floor";

    Optional<Entry> get(Session session, String key) throws SQLException {
        return session.query("SELECT k, v, rev FROM sluice_coordination WHERE k = ?", Values::entry, key).stream()
                .findFirst();
    }

    List<Entry> list(Session session, String prefix) throws SQLException {
        return session.query(
                "SELECT k, v, rev FROM sluice_coordination WHERE k >= ? AND k < ? ORDER BY k",
                Values::entry,
                prefix,
                end(prefix));
    }

    /** One statement: needs no transaction. */
    OptionalLong replace(Session session, String key, byte[] value, long expected) throws SQLException {
        int changed = session.update(
                "UPDATE sluice_coordination SET v = ?, rev = rev + 1 WHERE k = ? AND rev = ?", value, key, expected);
        return changed == 1 ? OptionalLong.of(expected + 1) : OptionalLong.empty();
    }

    /**
     * To be called in a transaction. The floor is read after the row is in: whoever deleted this key before has committed
     * the floor together with the deletion, so this statement sees it. Nobody needs to lock the floor to create a key.
     */
    OptionalLong create(Session session, String key, byte[] value) throws SQLException {
        try {
            session.update("INSERT INTO sluice_coordination (k, v, rev) VALUES (?, ?, 1)", key, value);
        } catch (SQLException failed) {
            if (!SqlFailure.isDuplicate(failed)) {
                throw failed;
            }
            session.connection().rollback();
            return OptionalLong.empty();
        }
        long revision = floor(session) + 1;
        if (revision > 1) {
            session.update("UPDATE sluice_coordination SET rev = ? WHERE k = ?", revision, key);
        }
        return OptionalLong.of(revision);
    }

    /** To be called in a transaction. */
    OptionalLong write(Session session, String key, byte[] value, long expected) throws SQLException {
        return expected == CoordinationStore.ABSENT
                ? create(session, key, value)
                : replace(session, key, value, expected);
    }

    /** To be called in a transaction. */
    boolean delete(Session session, String key, long expected) throws SQLException {
        if (session.update("DELETE FROM sluice_coordination WHERE k = ? AND rev = ?", key, expected) == 0) {
            return false;
        }
        session.update("UPDATE sluice_coordination SET rev = ? WHERE k = ? AND rev < ?", expected, FLOOR, expected);
        return true;
    }

    /** Something that differs whenever something below a prefix has changed, by prefix; one query for all. */
    Map<String, String> state(Session session, Collection<String> prefixes) throws SQLException {
        List<String> all = List.copyOf(prefixes);
        // By number: H2 does not know what type a parameter has that stands in two halves of a union.
        String each = IntStream.range(0, all.size())
                .mapToObj(number -> "SELECT " + number
                        + ", COUNT(*), SUM(rev), MAX(rev) FROM sluice_coordination WHERE k >= ? AND k < ?")
                .collect(Collectors.joining(" UNION ALL "));
        Object[] ranges =
                all.stream().flatMap(prefix -> Stream.of(prefix, end(prefix))).toArray();
        Map<String, String> states = new HashMap<>();
        session.query(
                each,
                row -> states.put(
                        all.get(row.getInt(1)), row.getString(2) + ' ' + row.getString(3) + ' ' + row.getString(4)),
                ranges);
        return states;
    }

    private static long floor(Session session) throws SQLException {
        return session.query("SELECT rev FROM sluice_coordination WHERE k = ?", row -> row.getLong(1), FLOOR).stream()
                .findFirst()
                .orElseThrow(() -> new SQLException(
                        "sluice_coordination has lost the row " + FLOOR + ", which createTables makes", "42000"));
    }

    private static Entry entry(ResultSet row) throws SQLException {
        return new Entry(row.getString(1), row.getBytes(2), row.getLong(3));
    }

    /** The first key behind all keys that begin with the prefix: '0' follows '/'. */
    private static String end(String prefix) {
        return prefix.substring(0, prefix.length() - 1) + '0';
    }
}
