package dev.sluice.jdbc;

import dev.sluice.coordinate.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The way to the database. A call ends within the timeout, whatever the pool, the driver or the network do: its work runs
 * on a thread of its own that is left behind when it is late, and that then stops at its next step. It is never
 * interrupted, because that would close the files of an H2 in this process. What the database undid in favour of another
 * transaction is tried again; every other failure leaves the call undecided.
 */
final class Database implements AutoCloseable {
    /** What to do with a connection. */
    interface Work<T> {
        T on(Session session) throws SQLException;
    }

    private final DataSource source;
    private final Duration timeout;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("sluice-jdbc-", 0).factory());
    private volatile @Nullable Dialect dialect;

    Database(DataSource source, Duration timeout) {
        this.source = source;
        this.timeout = timeout;
    }

    /** Work of one statement, which commits by itself. */
    <T> T statement(Work<T> work) {
        return call(work);
    }

    /** Work of several statements that take effect together, or not at all. */
    <T> T transaction(Work<T> work) {
        return call(session -> new Transaction(session, timeout).run(work));
    }

    private <T> T call(Work<T> work) {
        Deadline deadline = Deadline.in(timeout);
        try {
            Future<T> result = threads.submit(() -> untilDone(work, deadline));
            return result.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            throw failure(failed.getCause());
        } catch (TimeoutException late) {
            throw new StoreUnavailableException(
                    "The database of the coordination store did not answer within " + timeout.toMillis()
                            + " ms; see that it runs, can be reached and has a connection to spare.",
                    late);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("The call was interrupted before the database answered.", stopped);
        } catch (RejectedExecutionException closed) {
            throw new StoreUnavailableException("The coordination store is closed; open another.", closed);
        }
    }

    private static RuntimeException failure(@Nullable Throwable cause) {
        if (cause instanceof SQLException sql) {
            return SqlFailure.unavailable(sql);
        }
        if (cause instanceof RuntimeException known) {
            return known;
        }
        return new IllegalStateException(cause);
    }

    private <T> T untilDone(Work<T> work, Deadline deadline) throws SQLException {
        while (true) {
            try {
                return once(work, deadline);
            } catch (SQLException failed) {
                if (!SqlFailure.isUndone(failed) || deadline.remainingNanos() <= 0) {
                    throw failed;
                }
                // Whoever collided goes on at different times.
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000, 10_000_000));
            }
        }
    }

    private <T> T once(Work<T> work, Deadline deadline) throws SQLException {
        Connection connection = source.getConnection();
        try {
            deadline.check();
            Session session = new Session(connection, dialect(connection), deadline);
            try (var bounds = Bounds.set(connection, timeout)) {
                return work.on(session);
            }
        } finally {
            giveBack(connection);
        }
    }

    private Dialect dialect(Connection connection) throws SQLException {
        Dialect known = dialect;
        if (known == null) {
            known = Dialect.of(connection);
            dialect = known;
        }
        return known;
    }

    /** What was done stays done, even if the connection breaks on the way back. */
    private static void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException broken) {
            // The pool has lost a connection and will know.
        }
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
