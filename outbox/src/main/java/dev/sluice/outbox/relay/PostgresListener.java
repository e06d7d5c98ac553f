package dev.sluice.outbox.relay;

import dev.sluice.outbox.table.OutboxDialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes the relay when another process has written rows: LISTEN on a connection of its own, made anew when it breaks.
 * Notifications may be lost meanwhile; the relay then looks by itself.
 */
final class PostgresListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresListener.class);
    private static final int LOOK_FOR_END_MS = 200;
    private static final Duration AFTER_A_FAILURE = Duration.ofSeconds(1);

    private final DataSource source;
    private final Runnable woken;
    private final Repeating thread;
    private volatile boolean listening;
    private @Nullable Connection connection;

    private PostgresListener(DataSource source, Runnable woken) {
        this.source = source;
        this.woken = woken;
        this.thread = Repeating.start("outbox-listen", this::listen, this::disconnect);
    }

    static PostgresListener start(DataSource source, Runnable woken) {
        return new PostgresListener(source, woken);
    }

    boolean isListening() {
        return listening;
    }

    private Duration listen() {
        try {
            Connection open = connection == null ? connect() : connection;
            PGNotification[] told = open.unwrap(PGConnection.class).getNotifications(LOOK_FOR_END_MS);
            if (told != null && told.length > 0) {
                woken.run();
            }
            return Duration.ZERO;
        } catch (SQLException broken) {
            if (listening) {
                LOG.info("the database tells nothing of new rows, the relay looks by itself: {}", broken.getMessage());
            }
            disconnect();
            return AFTER_A_FAILURE;
        }
    }

    private Connection connect() throws SQLException {
        Connection open = source.getConnection();
        connection = open;
        open.setAutoCommit(true);
        try (Statement statement = open.createStatement()) {
            statement.execute("LISTEN " + OutboxDialect.CHANNEL);
        }
        listening = true;
        // What came before nobody told us of.
        woken.run();
        return open;
    }

    private void disconnect() {
        listening = false;
        Connection last = connection;
        connection = null;
        if (last == null) {
            return;
        }
        try (last;
                Statement statement = last.createStatement()) {
            statement.execute("UNLISTEN " + OutboxDialect.CHANNEL);
        } catch (SQLException gone) {
            LOG.debug("the listening connection was gone already: {}", gone.getMessage());
        }
    }

    @Override
    public void close() {
        thread.close();
    }
}
