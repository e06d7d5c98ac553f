package dev.sluice.jdbc;

import dev.sluice.testkit.servers.PostgresServer;
import dev.sluice.testkit.servers.RealServer;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;

@Order(1)
class PostgresCoordinationStoreTest extends JdbcContract {
    private static PostgresServer server;

    private final String url = TestDatabase.newSchema(server);

    @BeforeAll
    static void start() {
        server = PostgresServer.startPrivate();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @Override
    String url() {
        return url;
    }

    @Override
    protected Optional<RealServer> server() {
        return Optional.of(server);
    }
}
