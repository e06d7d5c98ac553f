package dev.sluice.jdbc;

import dev.sluice.testkit.servers.RealServer;
import java.util.Optional;

/** In this JVM: there is nothing to kill. */
class H2CoordinationStoreTest extends JdbcContract {
    private final String url = TestDatabase.H2.newUrl();

    @Override
    String url() {
        return url;
    }

    @Override
    protected Optional<RealServer> server() {
        return Optional.empty();
    }
}
