package dev.sluice.nats;

import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.ErrorListener;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A connection that the first call makes, that jnats keeps up, and that nobody else uses. */
final class OwnConnection implements ConnectionSource {
    private final NatsAccess access;
    private final Duration timeout;
    private @Nullable Connection connection;
    private boolean released;

    OwnConnection(NatsAccess access, Duration timeout) {
        this.access = access;
        this.timeout = timeout;
    }

    /** jnats gives up, and closes, after a server refused us twice; the next call begins anew. */
    @Override
    public synchronized Connection get(ConnectionListener listener) throws IOException, InterruptedException {
        if (released) {
            throw new IllegalStateException("the connection is closed");
        }
        if (connection == null || connection.getStatus() == Connection.Status.CLOSED) {
            connection = Nats.connect(options(listener));
        }
        return connection;
    }

    private Options options(ConnectionListener listener) {
        return access.options()
                .connectionTimeout(timeout)
                .maxReconnects(-1)
                .reconnectWait(Duration.ofMillis(200))
                .reconnectBufferSize(0)
                .reportNoResponders()
                // A server that is silent is left after about six seconds; jnats' own is minutes.
                .pingInterval(Duration.ofSeconds(2))
                .maxPingsOut(2)
                .connectionListener(listener)
                .errorListener(new ErrorListener() {})
                .build();
    }

    @Override
    public synchronized void release(ConnectionListener listener) {
        released = true;
        if (connection != null) {
            try {
                connection.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public String toString() {
        return access.toString();
    }
}
