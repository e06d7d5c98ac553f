package dev.sluice.outbox.table;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Only one at a time changes the schema. It asks again and again instead of waiting in the database, because a waiting
 * statement of PostgreSQL would hold up an index that is built CONCURRENTLY.
 */
record SchemaLock(Session session) implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final long PAUSE_NANOS = 50_000_000;
    private static final ReentrantLock IN_THIS_PROCESS = new ReentrantLock();

    static SchemaLock take(Session session) throws SQLException {
        long start = System.nanoTime();
        IN_THIS_PROCESS.lock();
        try {
            while (!ask(session, session.dialect().tryLockSchema())) {
                if (System.nanoTime() - start > PATIENCE.toNanos()) {
                    throw new SQLException("another session has been changing the schema of the outbox for "
                            + PATIENCE.toMinutes() + " minutes; end it, or wait for it");
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return new SchemaLock(session);
        } catch (SQLException | RuntimeException failed) {
            IN_THIS_PROCESS.unlock();
            throw failed;
        }
    }

    private static boolean ask(Session session, String sql) throws SQLException {
        return session.query(sql, row -> row.getBoolean(1)).getFirst();
    }

    @Override
    public void close() throws SQLException {
        try {
            ask(session, session.dialect().unlockSchema());
        } finally {
            IN_THIS_PROCESS.unlock();
        }
    }
}
