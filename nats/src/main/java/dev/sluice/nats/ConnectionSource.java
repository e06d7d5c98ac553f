package dev.sluice.nats;

import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import java.io.IOException;

/** Where a {@link NatsLink} gets its connection from, and what becomes of that when the link is closed. */
sealed interface ConnectionSource permits OwnConnection, BorrowedConnection {
    /**
     * @param listener hears of the connection's events from now on; always the same one
     * @throws IllegalStateException when there is no connection, and none can be made: nothing was sent
     */
    Connection get(ConnectionListener listener) throws IOException, InterruptedException;

    /** After the last {@link #get}. */
    void release(ConnectionListener listener);
}
