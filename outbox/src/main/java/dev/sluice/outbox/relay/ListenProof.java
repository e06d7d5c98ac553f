package dev.sluice.outbox.relay;

import dev.sluice.outbox.table.OutboxDialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells itself something through the database, over another connection, and sees that it arrives. */
final class ListenProof {
    private static final Logger LOG = LoggerFactory.getLogger(ListenProof.class);
    private static final String SIGN = "proof ";

    /** @param interval between two of them @param patience for one to come back */
    record Times(Duration interval, Duration patience) {
        static final Times DEFAULT = new Times(Duration.ofSeconds(30), Duration.ofSeconds(5));
    }

    private final DataSource source;
    private final Times times;
    private final String text = SIGN + UUID.randomUUID();
    private long since;
    private boolean begun;
    private boolean waiting;

    ListenProof(DataSource source, Times times) {
        this.source = source;
        this.times = times;
    }

    static boolean isOne(@Nullable String notification) {
        return notification != null && notification.startsWith(SIGN);
    }

    /** @return whether it is what was waited for */
    boolean hears(String notification) {
        boolean ours = text.equals(notification);
        waiting &= !ours;
        return ours;
    }

    /** @throws SQLException when one does not come back in time */
    void step() throws SQLException {
        if (isMissing()) {
            throw new SQLException(
                    "a NOTIFY of its own does not come back; between relay and database there may be a pooler"
                            + " that gives each transaction another connection: LISTEN needs a connection of its own");
        }
        if (!begun || !waiting && isOver(times.interval())) {
            begun = true;
            since = System.nanoTime();
            waiting = send();
        }
    }

    boolean isMissing() {
        return waiting && isOver(times.patience());
    }

    private boolean isOver(Duration time) {
        return System.nanoTime() - since > time.toNanos();
    }

    /** When it cannot be sent nothing is known: it is tried again later. */
    private boolean send() {
        try (Connection other = source.getConnection()) {
            int timeout = other.getNetworkTimeout();
            boolean commits = other.getAutoCommit();
            other.setNetworkTimeout(Runnable::run, (int) times.patience().toMillis());
            try (PreparedStatement notify = other.prepareStatement("SELECT pg_notify(?, ?)")) {
                notify.setString(1, OutboxDialect.CHANNEL);
                notify.setString(2, text);
                notify.execute();
            }
            if (!commits) {
                other.commit();
            }
            other.setNetworkTimeout(Runnable::run, timeout);
            return true;
        } catch (SQLException away) {
            LOG.debug("the database cannot be asked whether it tells of new rows: {}", away.getMessage());
            return false;
        }
    }
}
