package dev.sluice.jdbc;

import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A ShedLock lock, extended as long as its holder lives. */
final class JdbcLease implements Lease {
    private static final Logger log = LoggerFactory.getLogger(JdbcLease.class);

    private final LeaseName name;
    private final Duration ttl;
    private final Database database;
    private final Values values;
    private final Watches watches;
    /** Guards the lock, of which only the latest extension may be used. */
    private final ReentrantLock turn = new ReentrantLock();

    private SimpleLock lock;
    private volatile boolean ended;

    JdbcLease(SimpleLock lock, LeaseName name, Duration ttl, Database database, Values values, Watches watches) {
        this.lock = lock;
        this.name = name;
        this.ttl = ttl;
        this.database = database;
        this.values = values;
        this.watches = watches;
    }

    @Override
    public boolean renew() {
        turn.lock();
        try {
            if (ended) {
                return false;
            }
            Optional<SimpleLock> extended = lock.extend(ttl, Duration.ZERO);
            extended.ifPresentOrElse(next -> lock = next, () -> ended = true);
            return !ended;
        } finally {
            turn.unlock();
        }
    }

    @Override
    public OptionalLong put(String key, byte[] value, long expected) {
        Writes.check(key, value);
        if (ended) {
            return OptionalLong.empty();
        }
        OptionalLong written = database.transaction(session -> {
            if (!LeaseRows.holdIfLive(session, name)) {
                ended = true;
                return OptionalLong.empty();
            }
            return values.write(session, key, value, expected);
        });
        written.ifPresent(revision -> watches.changed(key));
        return written;
    }

    @Override
    public void close() {
        turn.lock();
        try {
            if (!ended) {
                ended = true;
                lock.unlock();
                watches.changed(name.name());
            }
        } catch (StoreUnavailableException away) {
            log.atInfo()
                    .addKeyValue("lease", name.name())
                    .setCause(away)
                    .log("The lease could not be ended and is left to expire");
        } finally {
            turn.unlock();
        }
    }
}
