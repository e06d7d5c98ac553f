package dev.sluice.server.coordinate;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.etcd.EtcdAccess;
import dev.sluice.etcd.EtcdCoordinationStore;
import dev.sluice.jdbc.JdbcCoordinationStore;
import dev.sluice.nats.NatsAccess;
import dev.sluice.nats.NatsCoordinationStore;
import dev.sluice.testkit.servers.EtcdServer;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.testkit.servers.PostgresServer;
import dev.sluice.testkit.servers.RealServer;
import java.time.Duration;
import java.util.Random;

/** The stores that the chaos test hurts. */
enum StoreKind {
    ETCD {
        @Override
        RealServer start() {
            return EtcdServer.startPrivate();
        }

        @Override
        CoordinationStore connect(String url) {
            return new EtcdCoordinationStore(EtcdAccess.to(url), EtcdCoordinationStore.DEFAULT_PREFIX, TIMEOUT);
        }
    },
    NATS {
        @Override
        RealServer start() {
            return NatsServer.startPrivate();
        }

        @Override
        CoordinationStore connect(String url) {
            return new NatsCoordinationStore(NatsAccess.to(url), NatsCoordinationStore.DEFAULT_BUCKET, 1, TIMEOUT);
        }
    },
    POSTGRES {
        @Override
        RealServer start() {
            return PostgresServer.startPrivate();
        }

        @Override
        String prepare(RealServer server) {
            try (HikariDataSource source = pool(server.url(), Duration.ofSeconds(30))) {
                JdbcCoordinationStore.createTables(source);
            }
            return server.url();
        }

        @Override
        CoordinationStore connect(String url) {
            return new JdbcCoordinationStore(pool(url, TIMEOUT), TIMEOUT, Duration.ofMillis(100));
        }

        private HikariDataSource pool(String url, Duration patience) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setMaximumPoolSize(3);
            config.setMinimumIdle(0);
            config.setConnectionTimeout(patience.toMillis());
            config.setValidationTimeout(patience.toMillis() / 2);
            config.setInitializationFailTimeout(-1);
            return new HikariDataSource(config);
        }
    };

    private static final Duration TIMEOUT = Duration.ofMillis(800);

    abstract RealServer start();

    abstract CoordinationStore connect(String url);

    /** Makes what the store needs to be there; returns where members connect to. */
    String prepare(RealServer server) {
        return server.url();
    }

    /** In order, or by SIGKILL: what was acknowledged must survive both. */
    void restart(RealServer server, Random random) {
        if (random.nextBoolean()) {
            server.stop();
        } else {
            server.kill();
        }
        server.start();
    }
}
