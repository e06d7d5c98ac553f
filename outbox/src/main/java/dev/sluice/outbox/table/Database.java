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

    private final DataSource source;
    private final Duration silence;
    private volatile @Nullable OutboxDialect dialect;

    Database(DataSource source) {
        this(source, SILENCE);
    }

    /** @param silence how long a client may say nothing within a transaction */
    Database(DataSource source, Duration silence) {
        this.source = source;
        this.silence = silence;
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
            boolean before = connection.getAutoCommit();
            if (before != autoCommit) {
                connection.setAutoCommit(autoCommit);
            }
            try {
                return work.on(new Session(connection, dialect(connection)));
            } finally {
                if (before != autoCommit && !connection.isClosed()) {
                    connection.setAutoCommit(before);
                }
            }
        }
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
            // What was done stays done; nobody shall use a connection that could not be put back as it was.
            session.connection().abort(Runnable::run);
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
