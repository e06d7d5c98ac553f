package dev.sluice.nats;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class Nats210CoordinationStoreTest extends NatsStoreContract {
    private static NatsServer server;

    @BeforeAll
    static void startServer() {
        server = NatsServer.startPrivate(NatsLine.V2_10);
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
