package dev.sluice.jdbc;

import dev.sluice.coordinate.Entry;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** The leases: rows of ShedLock's table. Who is alive is read by our own SQL, which ShedLock has none for. */
final class LeaseRows {
    private final Database database;
    private final Values values;

    LeaseRows(Database database, Values values) {
        this.database = database;
        this.values = values;
    }

    /** Through ShedLock: empty while anybody holds it. */
    Optional<SimpleLock> take(LeaseName name, Duration ttl) {
        if (!name.fits()) {
            byte[] whole = name.name().getBytes(StandardCharsets.UTF_8);
            database.transaction(session -> values.create(session, LeaseName.keyOfName(name.row()), whole));
        }
        return new LeaseLocks(database, name)
                .lock(new LockConfiguration(Instant.now(), name.row(), ttl, Duration.ZERO));
    }

    /** Holder by name. */
    Map<String, String> live(String prefix) {
        return database.transaction(session -> {
            Map<String, String> holders = new TreeMap<>();
            for (String lockedBy : lockedByLike(session, prefix)) {
                // LIKE may have taken a small letter for a capital one.
                wholeName(session, LeaseName.nameIn(lockedBy))
                        .filter(name -> name.startsWith(prefix))
                        .ifPresent(name -> holders.put(name, LeaseName.holderIn(lockedBy)));
            }
            return holders;
        });
    }

    private static List<String> lockedByLike(Session session, String prefix) throws SQLException {
        return session.query(
                "SELECT locked_by FROM shedlock WHERE lock_until > "
                        + session.dialect().now() + " AND (locked_by LIKE ? ESCAPE '!' OR locked_by LIKE ? ESCAPE '!')",
                row -> row.getString(1),
                LeaseName.patterns(prefix).toArray());
    }

    private Optional<String> wholeName(Session session, String name) throws SQLException {
        return LeaseName.isHashed(name)
                ? values.get(session, LeaseName.keyOfName(name)).map(Entry::text)
                : Optional.of(name);
    }

    /**
     * Whether this lease is its holder's and live; if so nobody can take or end it before the transaction does. The
     * time is read by a second statement, because the first may have waited for the row.
     */
    static boolean holdIfLive(Session session, LeaseName name) throws SQLException {
        session.query("SELECT name FROM shedlock WHERE name = ? FOR UPDATE", row -> row.getString(1), name.row());
        return !session.query(
                        "SELECT name FROM shedlock WHERE name = ? AND locked_by = ? AND lock_until > "
                                + session.dialect().now(),
                        row -> row.getString(1),
                        name.row(),
                        name.lockedBy())
                .isEmpty();
    }
}
