package dev.sluice.outbox.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.testkit.faults.Fault;
import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.servers.MariaDbServer;
import dev.sluice.testkit.servers.PostgresServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A host that dies, or a firewall that forgets: no answer comes, and no end of the connection either. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VanishedDatabaseTest {
    @Test
    void postgresqlIsNotWaitedForForEverAndNoConnectionIsMissingAfterwards() throws Exception {
        PostgresServer server = PostgresServer.shared();
        vanishesAndComesBack(server.port(), server.jdbcUrl(server.createDatabase()));
    }

    @Test
    void mariaDbIsNotWaitedForForEverAndNoConnectionIsMissingAfterwards() throws Exception {
        MariaDbServer server = MariaDbServer.shared();
        vanishesAndComesBack(server.port(), server.jdbcUrl(server.createDatabase()));
    }

    private static void vanishesAndComesBack(int port, String url) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(20_000);
        try (FaultProxy proxy = FaultProxy.inFrontOf(port)) {
            config.setJdbcUrl(url.replace(":" + port, ":" + proxy.port()));
            try (HikariDataSource pool = new HikariDataSource(config)) {
                Database database = new Database(pool, Duration.ofSeconds(10), Duration.ofMillis(300));
                assertThat(ask(database)).containsExactly(1);
                proxy.set(new Fault.Swallow());
                CompletableFuture<List<Integer>> vanished = CompletableFuture.supplyAsync(() -> ask(database));
                assertThatThrownBy(() -> vanished.get(20, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(OutboxDatabaseException.class);
                proxy.heal();
                assertThat(ask(database)).containsExactly(1);
            }
        }
    }

    private static List<Integer> ask(Database database) {
        return database.transaction("ask", session -> session.query("SELECT 1", row -> row.getInt(1)));
    }
}
