package dev.sluice.jdbc;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.Keys;
import dev.sluice.coordinate.Lease;
import dev.sluice.model.InvalidInputException;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * Coordination in the application's own database: PostgreSQL, MariaDB, MySQL or H2. Leases are rows of ShedLock's table
 * {@code shedlock}, values are rows of {@code sluice_coordination}; {@link #createTables} makes both. Every decision is by
 * the database's clock, in UTC, whatever zones the server and the clients are in.
 *
 * <ul>
 *   <li>The DataSource must lead to the primary, and commits must be durable there (PostgreSQL {@code synchronous_commit},
 *       MariaDB {@code innodb_flush_log_at_trx_commit = 1}, both the default).
 *   <li>Give it a small pool of its own, two or three connections, so that renewals do not queue behind the application's
 *       work. A connection is borrowed per call and given back as it was.
 *   <li>A call that is not answered in time ends with StoreUnavailableException; the next one tries again. A transaction
 *       whose client falls silent for that long is ended by the server (not by H2), so a paused client blocks nobody.
 *   <li>There is no push: changes of other processes are seen by asking at intervals.
 * </ul>
 */
public final class JdbcCoordinationStore implements CoordinationStore {
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(2);
    public static final Duration DEFAULT_WATCH_INTERVAL = Duration.ofMillis(200);
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);
    private static final Duration CREATE_TIMEOUT = Duration.ofSeconds(30);

    private final Database database;
    private final Values values = new Values();
    private final LeaseRows leases;
    private final Watches watches;

    public JdbcCoordinationStore(DataSource source) {
        this(source, DEFAULT_TIMEOUT, DEFAULT_WATCH_INTERVAL);
    }

    /**
     * @param timeout how long a call may take, the wait for a connection included; well below a third of the leases' time
     * @param watchInterval how long a change of another process may go unnoticed
     */
    public JdbcCoordinationStore(DataSource source, Duration timeout, Duration watchInterval) {
        this(source, timeout, watchInterval, new Loops());
    }

    /** @param loops of a process whose health report reads them; see the constructor without it for the others */
    public JdbcCoordinationStore(DataSource source, Duration timeout, Duration watchInterval, Loops loops) {
        if (timeout.compareTo(SHORTEST_TIMEOUT) < 0 || !watchInterval.isPositive()) {
            throw new InvalidInputException("the timeout of the coordination store is at least "
                    + SHORTEST_TIMEOUT.toMillis() + " ms and its watch interval more than nothing, not " + timeout
                    + " and " + watchInterval);
        }
        this.database = new Database(source, timeout);
        this.leases = new LeaseRows(database, values);
        this.watches = new Watches(this::states, watchInterval, loops);
    }

    /**
     * Creates the tables that are not there yet; running it again, or on several nodes at once, is harmless. The same
     * scripts are resources {@code dev/sluice/jdbc/{postgresql,mariadb,h2}/V1__coordination.sql} for migration tools.
     */
    public static void createTables(DataSource source) {
        try (Database database = new Database(source, CREATE_TIMEOUT)) {
            Schema.create(database);
        }
    }

    private Map<String, String> states(Collection<String> prefixes) {
        return database.statement(session -> values.state(session, prefixes));
    }

    @Override
    public Optional<Lease> openLease(String name, String holder, Duration ttl) {
        if (ttl.toMillis() <= 0) {
            throw new InvalidInputException("a lease lives for at least a millisecond, not " + ttl);
        }
        LeaseName lease = new LeaseName(name, holder);
        Optional<SimpleLock> lock = leases.take(lease, ttl);
        lock.ifPresent(taken -> watches.changed(name));
        return lock.map(taken -> new JdbcLease(taken, lease, ttl, database, values, watches));
    }

    @Override
    public Map<String, String> leases(String prefix) {
        return leases.live(Keys.checkPrefix(prefix));
    }

    @Override
    public Optional<Entry> get(String key) {
        Keys.check(key);
        return database.statement(session -> values.get(session, key));
    }

    @Override
    public List<Entry> list(String prefix) {
        Keys.checkPrefix(prefix);
        return database.statement(session -> values.list(session, prefix));
    }

    @Override
    public OptionalLong put(String key, byte[] value, long expected) {
        Writes.check(key, value);
        OptionalLong written = expected == ABSENT
                ? database.transaction(session -> values.create(session, key, value))
                : database.statement(session -> values.replace(session, key, value, expected));
        written.ifPresent(revision -> watches.changed(key));
        return written;
    }

    @Override
    public boolean delete(String key, long expected) {
        Keys.check(key);
        boolean deleted = database.transaction(session -> values.delete(session, key, expected));
        if (deleted) {
            watches.changed(key);
        }
        return deleted;
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changed) {
        return watches.open(Keys.checkPrefix(prefix), changed);
    }

    /** Leaves the DataSource to its owner. */
    @Override
    public void close() {
        watches.close();
        database.close();
    }
}
