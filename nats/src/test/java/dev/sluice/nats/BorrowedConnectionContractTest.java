package dev.sluice.nats;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The whole contract over connections of an application that has set nothing but what the store needs. */
@Tag("soak")
class BorrowedConnectionContractTest extends NatsStoreContract {
    private static NatsServer server;

    private final List<Connection> connections = new ArrayList<>();

    @BeforeAll
    static void startServer() {
        server = NatsServer.startPrivate(NatsLine.NEWEST);
    }

    @AfterAll
    static void closeServer() {
        server.close();
    }

    @AfterEach
    void closeConnections() throws InterruptedException {
        for (Connection connection : connections) {
            connection.close();
        }
    }

    @Override
    NatsServer nats() {
        return server;
    }

    @Override
    CoordinationStore through(String url, Duration requestTimeout) {
        try {
            Connection connection =
                    Nats.connect(Options.builder().server(url).maxReconnects(-1).build());
            connections.add(connection);
            return NatsCoordinationStore.over(connection, bucket, 1, requestTimeout);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
