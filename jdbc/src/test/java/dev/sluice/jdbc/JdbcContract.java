package dev.sluice.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.testkit.contract.CoordinationStoreContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;

/** The contract over one database: each test has a new one, each client a pool. */
abstract class JdbcContract extends CoordinationStoreContract {
    private final List<HikariDataSource> pools = new ArrayList<>();

    /** This test's database. */
    abstract String url();

    @Override
    protected CoordinationStore open(Duration requestTimeout) {
        return open(url(), requestTimeout);
    }

    @Override
    protected Optional<CoordinationStore> openThrough(int port, Duration requestTimeout) {
        return server().map(server -> open(url().replace(":" + server.port() + "/", ":" + port + "/"), requestTimeout));
    }

    private CoordinationStore open(String url, Duration requestTimeout) {
        HikariDataSource pool = TestDatabase.pool(url);
        pools.add(pool);
        JdbcCoordinationStore.createTables(pool);
        return new JdbcCoordinationStore(pool, requestTimeout, JdbcCoordinationStore.DEFAULT_WATCH_INTERVAL);
    }

    @AfterEach
    void closePools() {
        pools.forEach(HikariDataSource::close);
    }
}
