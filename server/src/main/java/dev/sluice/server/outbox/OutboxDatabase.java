package dev.sluice.server.outbox;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import dev.sluice.model.InvalidInputException;
import dev.sluice.server.config.DatasourceConfig;
import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.Secret;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/** A pool of connections to the database of an outbox. Opened, it has reached the database once. */
public final class OutboxDatabase implements AutoCloseable {
    /** One attempt: whoever starts us tries again. */
    private static final Duration FIRST_CONNECTION = Duration.ofMillis(1);

    private static final Duration WAIT = Duration.ofSeconds(3);

    private final HikariDataSource pool;

    private OutboxDatabase(HikariDataSource pool) {
        this.pool = pool;
    }

    /**
     * @param connections how many there are at most
     * @throws InvalidInputException saying why it cannot be reached, without a secret
     */
    public static OutboxDatabase open(DatasourceConfig config, int connections) {
        String url = config.url()
                .map(ConnectionString::reveal)
                .orElseThrow(
                        () -> new InvalidInputException("set outbox.datasource.url: where the outbox's database is"));
        var pool = new HikariConfig();
        pool.setPoolName("outbox");
        pool.setJdbcUrl(url);
        config.username().ifPresent(pool::setUsername);
        config.password().map(Secret::reveal).ifPresent(pool::setPassword);
        pool.setMaximumPoolSize(connections);
        pool.setMinimumIdle(1);
        pool.setConnectionTimeout(WAIT.toMillis());
        pool.setInitializationFailTimeout(FIRST_CONNECTION.toMillis());
        try {
            return new OutboxDatabase(new HikariDataSource(pool));
        } catch (HikariPool.PoolInitializationException | IllegalArgumentException failed) {
            throw new InvalidInputException(
                    "the database at " + shown(url) + " cannot be reached; see that it runs, and"
                            + " look at URL, user and password. It said: " + reason(failed));
        }
    }

    /** Nothing behind the host and database: parameters may be secret. */
    private static String shown(String url) {
        return Secret.mask(url).replaceFirst("[?;].*", "");
    }

    private static String reason(Throwable failed) {
        Throwable deepest = failed;
        while (deepest.getCause() != null) {
            deepest = deepest.getCause();
        }
        return Secret.mask(Optional.ofNullable(deepest.getMessage())
                .flatMap(message -> message.lines().findFirst())
                .orElse(deepest.toString()));
    }

    public DataSource source() {
        return pool;
    }

    @Override
    public void close() {
        pool.close();
    }
}
