package dev.sluice.outbox.chaos;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.outbox.OutboxRelay;
import dev.sluice.outbox.relay.RelaySettings;
import dev.sluice.outbox.relay.RelaySettings.BatchLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/**
 * A process of the chaos test: relays the outbox of every given database, each by its delivery. SIGTERM makes it hand over and
 * leave. Arguments: what its
 * outboxes' names begin with, node, broker, then pairs of delivery and JDBC URL.
 */
public final class ChaosRelay {
    static final int PARTITIONS = 4;
    static final Duration LEASE = Duration.ofSeconds(3);
    static final BatchLimits BATCHES = new BatchLimits(20, 50);
    private static final StabiliserSettings WINDOWS =
            new StabiliserSettings(Duration.ofMillis(500), Duration.ofMillis(200), Duration.ofMillis(100));

    private ChaosRelay() {}

    public static void main(String[] args) throws Exception {
        List<OutboxRelay> relays = new ArrayList<>();
        for (int i = 3; i < args.length; i += 2) {
            Delivery delivery = Delivery.valueOf(args[i]);
            relays.add(OutboxRelay.builder(pool(args[i + 1], 10))
                    .coordination(pool(args[i + 1], 4))
                    .name(args[0] + delivery.outbox())
                    .nodeId(args[1])
                    .partitions(PARTITIONS)
                    .sink(delivery.sink(args[2]))
                    .settings(RelaySettings.DEFAULT
                            .withNodeTimeout(LEASE)
                            .withHandoffTimeout(Duration.ofSeconds(5))
                            .withStabiliser(WINDOWS)
                            .withBatches(BATCHES))
                    .start());
        }
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> relays.parallelStream().forEach(OutboxRelay::close)));
        System.out.println("relay started");
        Thread.currentThread().join();
    }

    /** Of an H2 none: a pool takes a connection to a server that was stopped for a valid one. */
    static DataSource pool(String url, int size) {
        if (url.startsWith("jdbc:h2:")) {
            JdbcDataSource each = new JdbcDataSource();
            each.setUrl(url);
            each.setUser("sa");
            return each;
        }
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(1_000);
        config.setValidationTimeout(500);
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }
}
