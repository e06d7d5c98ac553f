package dev.sluice.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Several statements on one connection that take effect together, or not at all. */
record Transaction(Session session, Duration timeout) {
    <T> T run(Database.Work<T> work) throws SQLException {
        try {
            return committed(work);
        } finally {
            leave();
        }
    }

    private <T> T committed(Database.Work<T> work) throws SQLException {
        Connection connection = session.connection();
        connection.setAutoCommit(false);
        boolean done = false;
        try {
            for (String sql : session.dialect().enter(timeout)) {
                session.execute(sql);
            }
            T result = work.on(session);
            session.deadline().check();
            connection.commit();
            done = true;
            return result;
        } finally {
            if (!done) {
                rollBack(connection);
            }
        }
    }

    private static void rollBack(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException broken) {
            Bounds.abandon(connection);
        }
    }

    private void leave() {
        Connection connection = session.connection();
        try {
            connection.setAutoCommit(true);
            for (String sql : session.dialect().leave()) {
                session.execute(sql);
            }
        } catch (SQLException broken) {
            Bounds.abandon(connection);
        }
    }
}
