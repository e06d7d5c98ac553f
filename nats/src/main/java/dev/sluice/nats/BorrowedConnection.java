package dev.sluice.nats;

import io.nats.client.Connection;
import io.nats.client.ConnectionListener;

/**
 * A connection of the application, which stays open. Its options are the application's: jnats may keep what is sent while
 * it reconnects and send it later, and may hide that nobody answers a subject. So nothing is sent while it is not
 * connected, and a call without an answer stays undecided.
 */
final class BorrowedConnection implements ConnectionSource {
    private final Connection connection;
    private boolean listening;

    BorrowedConnection(Connection connection) {
        this.connection = connection;
    }

    @Override
    public synchronized Connection get(ConnectionListener listener) {
        if (!listening) {
            connection.addConnectionListener(listener);
            listening = true;
        }
        Connection.Status status = connection.getStatus();
        if (status == Connection.Status.CLOSED) {
            throw new IllegalStateException(
                    "the application's connection is closed: open another, and a store over it; with maxReconnects(-1)"
                            + " jnats closes none by itself");
        }
        if (status != Connection.Status.CONNECTED) {
            throw new IllegalStateException("the application's connection is " + status);
        }
        return connection;
    }

    @Override
    public synchronized void release(ConnectionListener listener) {
        connection.removeConnectionListener(listener);
    }

    /** Where the connection is now, without a user or password that may be part of the address. */
    @Override
    public String toString() {
        String url = connection.getConnectedUrl();
        return url == null ? "no server" : NatsAccess.withoutUser(url);
    }
}
