package dev.sluice.server.puller;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.capture.ChangeCursor;
import dev.sluice.capture.ChangeSource;
import dev.sluice.capture.SourceException;
import dev.sluice.capture.StartPoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.outbox.log.OutboxChangeSource;
import dev.sluice.outbox.log.OutboxSourceSettings;
import dev.sluice.run.Loops;
import dev.sluice.server.config.yaml.ConnectionString;
import java.time.Duration;

/** An outbox that is watched, with the pool of connections to its database. A database that is away is reached later. */
final class OutboxBackend implements ChangeSource {
    private static final int CONNECTIONS = 8;
    private static final Duration WAIT = Duration.ofSeconds(3);

    private final HikariDataSource pool;
    private final OutboxChangeSource source;

    OutboxBackend(ConnectionString connection, OutboxSourceSettings settings, Loops loops) {
        this.pool = pool(connection, settings.node());
        this.source = new OutboxChangeSource(pool, settings, loops);
    }

    private static HikariDataSource pool(ConnectionString connection, String name) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("outbox-log-" + name);
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(WAIT.toMillis());
        config.setInitializationFailTimeout(-1);
        config.setJdbcUrl(connection.reveal());
        try {
            return new HikariDataSource(config);
        } catch (RuntimeException unusable) {
            // Its message may hold the password.
            throw new IllegalArgumentException(
                    "the database at " + connection
                            + " cannot be used: see that the connection begins with jdbc:postgresql:, jdbc:mariadb: or jdbc:h2:");
        }
    }

    @Override
    public ChangeCursor open(StartPoint from) throws SourceException {
        return source.open(from);
    }

    @Override
    public ClusterTime oldest() {
        return source.oldest();
    }

    @Override
    public void wake() {
        source.wake();
    }

    @Override
    public void stopWaiting() {
        source.stopWaiting();
    }

    @Override
    public void close() {
        source.close();
        pool.close();
    }
}
