package dev.sluice.server.worker;

import dev.sluice.deliver.Reason;
import dev.sluice.model.InvalidInputException;
import dev.sluice.nats.NatsAccess;
import dev.sluice.server.config.yaml.Secret;
import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.Consumer;
import io.nats.client.ErrorListener;
import io.nats.client.Nats;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker's connection to NATS. It reconnects as long as it takes, unless a server refuses this worker's login twice: jnats
 * then closes it for good. A write during an outage fails instead of waiting.
 */
final class WorkerConnection implements ConnectionListener, ErrorListener {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.worker");
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration PING_INTERVAL = Duration.ofSeconds(5);

    private WorkerConnection() {}

    /** @throws InvalidInputException when no server lets this worker in */
    static Connection open(NatsAccess access, String name) throws InterruptedException {
        var listener = new WorkerConnection();
        try {
            return Nats.connect(access.options()
                    .connectionName("sluice-worker-" + name)
                    .connectionTimeout(CONNECT_TIMEOUT)
                    .pingInterval(PING_INTERVAL)
                    .maxReconnects(-1)
                    .reconnectBufferSize(0)
                    .reportNoResponders()
                    .connectionListener(listener)
                    .errorListener(listener)
                    .build());
        } catch (IOException away) {
            throw new InvalidInputException(
                    "cannot reach NATS at " + access + " (worker.servers): " + Secret.mask(Reason.of(away))
                            + "; see that it runs, with JetStream, and that worker.user, token or credentials are right");
        }
    }

    @Override
    public void connectionEvent(Connection connection, Events event) {
        switch (event) {
            case DISCONNECTED -> lost(connection);
            case RECONNECTED -> LOG.info("connected to NATS again");
            case CLOSED -> closed(connection);
            default -> LOG.debug("NATS connection: {}", event);
        }
    }

    private static void lost(Connection connection) {
        if (connection.getStatus() != Connection.Status.CLOSED) {
            LOG.warn("connection to NATS lost; reconnecting");
        }
    }

    /** Also the end of a worker that stops. */
    private static void closed(Connection connection) {
        String error = connection.getLastError();
        if (error != null && !error.isBlank()) {
            LOG.error(
                    "connection to NATS closed for good: {}. Fix worker.user, token or credentials, then restart this node",
                    error);
        }
    }

    @Override
    public void errorOccurred(Connection connection, String error) {
        LOG.atWarn().addKeyValue("error", error).log("NATS reports an error");
    }

    @Override
    public void exceptionOccurred(Connection connection, Exception exception) {
        LOG.debug("NATS connection failed", exception);
    }

    @Override
    public void slowConsumerDetected(Connection connection, Consumer consumer) {
        LOG.warn("slow consumer: NATS dropped deliveries to this worker; they will be read again");
    }
}
