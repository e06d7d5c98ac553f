package dev.sluice.outbox.relay;

import dev.sluice.outbox.table.OutboxDialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * How a relay learns sooner than by looking that other processes have written rows: PostgreSQL tells it. A database that is
 * away at the start is asked later what it is; one that tells nothing is asked no more.
 */
public final class WakeUps implements AutoCloseable {
    private static final Duration ASK_AGAIN = Duration.ofSeconds(1);
    private static final Duration NEVER = Duration.ofDays(365);

    private final DataSource source;
    private final Runnable woken;
    private final Repeating asking;
    private @Nullable PostgresListener listener;
    private boolean closed;

    private WakeUps(DataSource source, Runnable woken) {
        this.source = source;
        this.woken = woken;
        this.asking = Repeating.start("outbox-wake-ups", this::ask);
    }

    /** @param woken called when there may be new rows */
    public static WakeUps start(DataSource source, Runnable woken) {
        return new WakeUps(source, woken);
    }

    private Duration ask() {
        try (Connection connection = source.getConnection()) {
            if (OutboxDialect.of(connection) == OutboxDialect.POSTGRESQL) {
                listen();
            }
            return NEVER;
        } catch (SQLException away) {
            return ASK_AGAIN;
        }
    }

    private synchronized void listen() {
        if (!closed) {
            listener = PostgresListener.start(source, woken);
        }
    }

    public synchronized boolean isListening() {
        return listener != null && listener.isListening();
    }

    @Override
    public void close() {
        PostgresListener last;
        synchronized (this) {
            closed = true;
            last = listener;
        }
        asking.close();
        if (last != null) {
            last.close();
        }
    }
}
