package dev.sluice.outbox;

import dev.sluice.outbox.table.OutboxDialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the relays of other processes, over PostgreSQL's NOTIFY, that something was committed. After the commit and on a
 * connection of its own, because a NOTIFY within the writers' transactions would make their commits wait for each other;
 * at most once in 50 ms, however many commits there are. A hint: what it does not tell is found by polling.
 */
final class CommitNotifier implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CommitNotifier.class);
    private static final Duration INTERVAL = Duration.ofMillis(50);

    private final DataSource source;
    private final BlockingQueue<Boolean> wanted = new ArrayBlockingQueue<>(1);
    private final Thread thread;
    private @Nullable Connection connection;
    private boolean away;

    CommitNotifier(DataSource source) {
        this.source = source;
        this.thread = Thread.ofVirtual().name("sluice-outbox-notify").start(this::run);
    }

    void committed() {
        // Full means that one is to be sent anyway, and that it is sent after this.
        wanted.offer(true);
    }

    private void run() {
        try {
            while (wanted.take() && tell()) {
                Thread.sleep(INTERVAL);
            }
        } catch (InterruptedException closed) {
            // Closed.
        } finally {
            disconnect();
        }
    }

    /** False when this database knows no NOTIFY. */
    private boolean tell() {
        try {
            Connection open = connection == null ? source.getConnection() : connection;
            connection = open;
            if (OutboxDialect.of(open) != OutboxDialect.POSTGRESQL) {
                return false;
            }
            notify(open);
            away = false;
        } catch (SQLException failed) {
            if (!away) {
                log.atWarn()
                        .setCause(failed)
                        .log("Relays elsewhere find new messages by polling until the database answers");
            }
            away = true;
            disconnect();
        }
        return true;
    }

    private static void notify(Connection open) throws SQLException {
        open.setAutoCommit(true);
        try (Statement statement = open.createStatement()) {
            statement.execute("NOTIFY " + OutboxDialect.CHANNEL);
        }
    }

    private void disconnect() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException broken) {
                // Then it is closed.
            }
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
