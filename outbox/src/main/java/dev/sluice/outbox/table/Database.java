package dev.sluice.outbox.table;

import dev.sluice.jdbc.SqlFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The way to the tables: a connection per call, given back as it was. What the database undid in favour of another
 * transaction is tried again a few times.
 */
final class Database {
    /** What to do with a connection. */
    interface Work<T> {
        T on(Session session) throws SQLException;
    }

    private static final int TRIES = 8;
    private static final Duration SILENCE = Duration.ofSeconds(10);
    private static final Duration NO_LIMIT = Duration.ZERO;

    private final DataSource source;
    private final Duration silence;
    private final Duration patience;
    private volatile @Nullable OutboxDialect dialect;

    /** Waits as long as an answer takes. */
    Database(DataSource source) {
        this(source, SILENCE, NO_LIMIT);
    }

    /**
     * @param silence how long a client may say nothing within a transaction
     * @param patience how long an answer may take before the connection is given up: one to a database that vanished
     *     without a word would be waited for, and be missing in the pool, for ever
     */
    Database(DataSource source, Duration silence, Duration patience) {
        this.source = source;
        this.silence = silence;
        this.patience = patience;
    }

    /** The same with another patience. */
    Database waiting(Duration newPatience) {
        return new Database(source, silence, newPatience);
    }

    /** Work whose statements commit one by one. */
    <T> T statement(String doing, Work<T> work) {
        return call(doing, true, work);
    }

    /** Work whose statements take effect together, or not at all. */
    <T> T transaction(String doing, Work<T> work) {
        return call(doing, false, session -> committed(session, work));
    }

    OutboxDialect dialect() {
        OutboxDialect known = dialect;
        return known != null ? known : statement("ask what database it is", Session::dialect);
    }

    private <T> T call(String doing, boolean autoCommit, Work<T> work) {
        for (int tried = 1; ; tried++) {
            try {
                return once(autoCommit, work);
            } catch (SQLException failed) {
                if (tried == TRIES || !SqlFailure.isUndone(failed) && !SqlFailure.isDuplicate(failed)) {
                    throw new OutboxDatabaseException(doing, failed);
                }
                // Whoever collided goes on at different times.
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000, 10_000_000));
            }
        }
    }

    private <T> T once(boolean autoCommit, Work<T> work) throws SQLException {
        try (Connection connection = source.getConnection()) {
            boolean commits = connection.getAutoCommit();
            int timeout = connection.getNetworkTimeout();
            try {
                if (patience.isPositive()) {
                    connection.setNetworkTimeout(Runnable::run, (int) patience.toMillis());
                }
                if (commits != autoCommit) {
                    connection.setAutoCommit(autoCommit);
                }
                return work.on(new Session(connection, dialect(connection)));
            } finally {
                putBack(connection, commits, timeout);
            }
        }
    }

    private void putBack(Connection connection, boolean commits, int timeout) throws SQLException {
        try {
            if (connection.isClosed()) {
                return;
            }
            if (commits != connection.getAutoCommit()) {
                connection.setAutoCommit(commits);
            }
            if (patience.isPositive()) {
                connection.setNetworkTimeout(Runnable::run, timeout);
            }
        } catch (SQLException broken) {
            abandon(connection);
        }
    }

    /** What was done stays done; nobody shall use a connection that could not be put back as it was. */
    private static void abandon(Connection connection) throws SQLException {
        connection.abort(Runnable::run);
    }

    private <T> T committed(Session session, Work<T> work) throws SQLException {
        Connection connection = session.connection();
        boolean done = false;
        try {
            for (String sql : session.dialect().enter(silence)) {
                session.execute(sql);
            }
            T result = work.on(session);
            connection.commit();
            done = true;
            return result;
        } finally {
            if (!done) {
                rollBack(connection);
            }
            leave(session);
        }
    }

    private static void leave(Session session) throws SQLException {
        try {
            for (String sql : session.dialect().leave()) {
                session.execute(sql);
            }
        } catch (SQLException broken) {
            abandon(session.connection());
        }
    }

    private static void rollBack(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException broken) {
            // Then the database undoes it when the connection ends; what is thrown says more.
        }
    }

    private OutboxDialect dialect(Connection connection) throws SQLException {
        OutboxDialect known = dialect;
        if (known == null) {
            known = OutboxDialect.of(connection);
            dialect = known;
        }
        return known;
    }
}
