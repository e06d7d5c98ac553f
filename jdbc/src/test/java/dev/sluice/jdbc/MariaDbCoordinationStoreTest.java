package dev.sluice.jdbc;

import dev.sluice.testkit.servers.MariaDbServer;
import dev.sluice.testkit.servers.RealServer;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;

@Order(2)
class MariaDbCoordinationStoreTest extends JdbcContract {
    private static MariaDbServer server;

    private final String url = server.jdbcUrl(server.createDatabase());

    @BeforeAll
    static void start() {
        server = MariaDbServer.startPrivate();
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
