package dev.sluice.nats;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class NatsNewestCoordinationStoreTest extends NatsStoreContract {
    private static NatsServer server;

    @BeforeAll
    static void startServer() {
        server = NatsServer.startPrivate(NatsLine.NEWEST);
    }

    @AfterAll
    static void closeServer() {
        server.close();
    }

    @Override
    NatsServer nats() {
        return server;
    }
}
