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
 * Notifications may be lost meanwhile; the relay then looks by itself. That they come is not believed but proved, now and then,
 * by one of our own: a dead connection is as quiet as a good one, and a pooler between may take LISTEN and forget it.
 */
final class PostgresListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresListener.class);
    private static final int LOOK_FOR_END_MS = 200;
    private static final Duration AFTER_A_FAILURE = Duration.ofSeconds(1);

    private final DataSource source;
    private final Runnable woken;
    private final ListenProof.Times times;
    private final Repeating thread;
    private volatile boolean listening;
    private volatile long heardAt;
    private boolean told;
    private int networkTimeout;
    private @Nullable Connection connection;
    private ListenProof proof;

    private PostgresListener(DataSource source, Runnable woken, ListenProof.Times times) {
        this.source = source;
        this.woken = woken;
        this.times = times;
        this.proof = new ListenProof(source, times);
        this.thread = Repeating.start("outbox-listen", this::listen, this::disconnect);
    }

    static PostgresListener start(DataSource source, Runnable woken) {
        return start(source, woken, ListenProof.Times.DEFAULT);
    }

    static PostgresListener start(DataSource source, Runnable woken, ListenProof.Times times) {
        return new PostgresListener(source, woken, times);
    }

    /** Whether a notification of our own came back lately. */
    boolean isListening() {
        Duration lately = times.interval().plus(times.patience().multipliedBy(2));
        return listening && System.nanoTime() - heardAt < lately.toNanos();
    }

    private Duration listen() {
        try {
            Connection open = connection == null ? connect() : connection;
            hear(open.unwrap(PGConnection.class).getNotifications(LOOK_FOR_END_MS));
            proof.step();
            return Duration.ZERO;
        } catch (SQLException broken) {
            if (!told) {
                told = true;
                LOG.info("the database tells nothing of new rows, the relay looks by itself: {}", broken.getMessage());
            }
            Duration pause = proof.isMissing() ? times.interval() : AFTER_A_FAILURE;
            disconnect();
            return pause;
        }
    }

    private void hear(PGNotification @Nullable [] notifications) {
        if (notifications == null) {
            return;
        }
        boolean any = false;
        for (PGNotification notification : notifications) {
            if (proof.hears(notification.getParameter())) {
                heardAt = System.nanoTime();
                listening = true;
                told = false;
            }
            any |= !ListenProof.isOne(notification.getParameter());
        }
        if (any) {
            woken.run();
        }
    }

    private Connection connect() throws SQLException {
        Connection open = source.getConnection();
        connection = open;
        networkTimeout = open.getNetworkTimeout();
        open.setNetworkTimeout(Runnable::run, (int) times.patience().toMillis());
        open.setAutoCommit(true);
        try (Statement statement = open.createStatement()) {
            statement.execute("LISTEN " + OutboxDialect.CHANNEL);
        }
        proof = new ListenProof(source, times);
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
            last.setNetworkTimeout(Runnable::run, networkTimeout);
        } catch (SQLException gone) {
            LOG.debug("the listening connection was gone already: {}", gone.getMessage());
        }
    }

    @Override
    public void close() {
        thread.close();
    }
}
