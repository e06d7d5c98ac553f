package dev.sluice.jdbc;

import dev.sluice.coordinate.Lease;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import net.javacrumbs.shedlock.core.LockConfiguration;

/** The leases: rows of ShedLock's table. Who is alive is read by our own SQL, which ShedLock has none for. */
final class LeaseRows {
    private final Database database;

    LeaseRows(Database database) {
        this.database = database;
    }

    Optional<Lease> take(LeaseName name, Duration ttl, Values values, Watches watches) {
        LockConfiguration lock = new LockConfiguration(Instant.now(), name.row(), ttl, Duration.ZERO);
        return new LeaseLocks(database, name)
                .lock(lock)
                .map(taken -> new JdbcLease(taken, name, ttl, database, values, watches));
    }

    Map<String, String> live(String prefix) {
        return database.transaction(session -> {
            Map<String, String> holders = new TreeMap<>();
            session
                    .query(
                            "SELECT locked_by FROM shedlock WHERE lock_until > "
                                    + session.dialect().now() + " AND locked_by LIKE ? ESCAPE '!'",
                            row -> row.getString(1),
                            prefix.replace("_", "!_") + "%#%")
                    .stream()
                    // LIKE may take a small letter for a capital one.
                    .filter(lockedBy -> lockedBy.startsWith(prefix))
                    .map(LeaseName::parse)
                    .forEach(lease -> holders.put(lease.name(), lease.holder()));
            return holders;
        });
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
