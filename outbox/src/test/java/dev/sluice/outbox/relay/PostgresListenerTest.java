package dev.sluice.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.faults.Fault;
import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** On the real PostgreSQL. */
class PostgresListenerTest {
    private static final ListenProof.Times QUICK =
            new ListenProof.Times(Duration.ofMillis(300), Duration.ofMillis(700));

    private final PostgresServer server = PostgresServer.shared();
    private final String url = server.jdbcUrl(server.createDatabase());
    private final AtomicInteger wakeUps = new AtomicInteger();

    @Test
    void aConnectionThatDiedWithoutAWordIsNoticedAndMadeAnew() throws Exception {
        try (FaultProxy proxy = FaultProxy.inFrontOf(server.port())) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(url.replace(":" + server.port(), ":" + proxy.port()));
            source.setLoginTimeout(1);
            try (PostgresListener listener = PostgresListener.start(source, wakeUps::incrementAndGet, QUICK)) {
                await().until(listener::isListening);
                int before = wakeUps.get();
                await().during(QUICK.interval().multipliedBy(2)).until(() -> wakeUps.get() == before);
                tell();
                await().until(() -> wakeUps.get() > before);

                proxy.set(new Fault.Swallow());
                await().until(() -> !listener.isListening());
                proxy.heal();
                await().until(listener::isListening);
            }
        }
    }

    /** NOTIFY stays in its database: two of them are as a pooler that gives each transaction another connection. */
    @Test
    void aListenThatNothingEverComesOfIsNotBelieved() {
        AtomicInteger taken = new AtomicInteger();
        String other = server.jdbcUrl(server.createDatabase());
        PGSimpleDataSource pooler = new PGSimpleDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                return DriverManager.getConnection(taken.getAndIncrement() % 2 == 0 ? url : other);
            }
        };
        try (PostgresListener listener = PostgresListener.start(pooler, wakeUps::incrementAndGet, QUICK)) {
            await().until(() -> taken.get() >= 3);
            assertThat(listener.isListening()).isFalse();
        }
    }

    private void tell() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("NOTIFY sluice_outbox");
        }
    }
}
