package dev.sluice.outbox.table;

import dev.sluice.jdbc.SqlFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs the statements of the versioned scripts that are not done yet. A statement that needs the table for itself waits
 * for it only briefly, and then tries again, so that nobody queues behind it for long.
 */
record SchemaScript(Session session) {
    private static final Pattern ADDED_COLUMN = Pattern.compile("ADD COLUMN (\\w+)");
    private static final Pattern INDEX = Pattern.compile("INDEX CONCURRENTLY (\\w+)|INDEX (outbox_events_\\w+)");
    private static final String CONCURRENTLY = " CONCURRENTLY";
    private static final Duration FIRST_WAIT = Duration.ofMillis(100);
    private static final int LONGEST = 20;
    private static final int TRIES = 300;

    static final String EVENTS_TABLE = "outbox_events";

    /** What an old outbox has. */
    static final String EVENTS = "V1__outbox.sql";

    static final String PARTITIONS = "V2__outbox_partitions.sql";
    static final String INDEXES = "V3__outbox_indexes.sql";
    private static final String LAST_INDEX = "outbox_events_urgent";

    /** @param online whether the table may be in use */
    void run(String name, boolean online) throws SQLException {
        for (String sql : statements(name)) {
            if (!isDone(sql)) {
                patiently(online ? sql : sql.replace(CONCURRENTLY, ""));
            }
        }
    }

    void patiently(String sql) throws SQLException {
        if (sql.contains(CONCURRENTLY)) {
            session.execute(sql);
            return;
        }
        for (int tried = 1; ; tried++) {
            Duration wait = FIRST_WAIT.multipliedBy(Math.min(tried, LONGEST));
            try {
                execute(sql, wait);
                return;
            } catch (SQLException failed) {
                if (tried == TRIES || !SqlFailure.isUndone(failed)) {
                    throw failed;
                }
                // Whoever queued behind it gets as much time as it took from them, or more.
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(wait.toNanos(), 2 * wait.toNanos()));
            }
        }
    }

    private void execute(String sql, Duration wait) throws SQLException {
        for (String limit : session.dialect().waitAtMost(wait)) {
            session.execute(limit);
        }
        try {
            session.execute(sql);
        } finally {
            for (String limit : session.dialect().waitAsBefore()) {
                session.execute(limit);
            }
        }
    }

    private boolean isDone(String sql) throws SQLException {
        Matcher column = ADDED_COLUMN.matcher(sql);
        if (column.find()) {
            return Columns.of(session, EVENTS_TABLE).has(column.group(1));
        }
        Matcher index = INDEX.matcher(sql);
        return index.find() && isThere(index.group(1) == null ? index.group(2) : index.group(1));
    }

    /** Whether the last index is there, and with it all that comes before. */
    boolean isComplete() throws SQLException {
        return session.query(session.dialect().findIndex(), row -> row.getBoolean(1), LAST_INDEX)
                .contains(true);
    }

    /** An index whose building was interrupted is there and useless: it is built again. */
    private boolean isThere(String index) throws SQLException {
        List<Boolean> usable = session.query(session.dialect().findIndex(), row -> row.getBoolean(1), index);
        if (usable.isEmpty()) {
            return false;
        }
        if (!usable.getFirst()) {
            session.execute("DROP INDEX CONCURRENTLY " + index);
        }
        return usable.getFirst();
    }

    private List<String> statements(String name) {
        String path = "/dev/sluice/outbox/" + session.dialect().folder() + '/' + name;
        try (InputStream script = SchemaScript.class.getResourceAsStream(path)) {
            if (script == null) {
                throw new IllegalStateException("the jar of sluice-outbox lacks " + path);
            }
            return Stream.of(new String(script.readAllBytes(), StandardCharsets.UTF_8).split(";\\s*(\n|$)"))
                    .filter(sql -> !sql.isBlank())
                    .toList();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
