package dev.sluice.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * How a borrowed connection is used while it is ours: each statement commits by itself, and an answer that does not come
 * breaks the connection, a little after the database itself should have given up. Put back as it was afterwards.
 */
record Bounds(Connection connection, boolean autoCommit, int networkTimeout) implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(1);

    static Bounds set(Connection connection, Duration timeout) throws SQLException {
        Bounds before = new Bounds(connection, connection.getAutoCommit(), connection.getNetworkTimeout());
        connection.setNetworkTimeout(Runnable::run, (int) timeout.plus(GRACE).toMillis());
        connection.setAutoCommit(true);
        return before;
    }

    @Override
    public void close() {
        try {
            connection.setAutoCommit(autoCommit);
            connection.setNetworkTimeout(Runnable::run, networkTimeout);
        } catch (SQLException broken) {
            abandon(connection);
        }
    }

    /** Nobody shall use a connection that could not be put back as it was. */
    static void abandon(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException gone) {
            // Then it is.
        }
    }
}
