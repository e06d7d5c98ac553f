package dev.sluice.outbox.table;

import dev.sluice.model.InvalidInputException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What differs between the databases. */
public enum OutboxDialect {
    POSTGRESQL("postgresql", "clock_timestamp()") {
        @Override
        List<String> enter(Duration silence) {
            return List.of("SET LOCAL idle_in_transaction_session_timeout = " + silence.toMillis());
        }

        @Override
        String tryLockSchema() {
            return "SELECT pg_try_advisory_lock(" + SCHEMA_LOCK + ')';
        }

        @Override
        String unlockSchema() {
            return "SELECT pg_advisory_unlock(" + SCHEMA_LOCK + ')';
        }

        @Override
        List<String> waitAtMost(Duration wait) {
            return List.of("SET lock_timeout = " + wait.toMillis());
        }

        @Override
        List<String> waitAsBefore() {
            return List.of("RESET lock_timeout");
        }

        @Override
        String dropIndex(String index) {
            return "DROP INDEX CONCURRENTLY " + index;
        }

        @Override
        String findIndex() {
            return "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(?)";
        }

        @Override
        String notIn(String column, int values) {
            return " AND " + column + " <> ALL (?)";
        }

        @Override
        String later() {
            return "clock_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 microsecond'";
        }

        @Override
        String text() {
            return "TEXT";
        }
    },
    /** Also for MySQL. Texts are compared byte by byte here: its collations take a key with spaces behind it for the same. */
    MARIADB("mariadb", "UTC_TIMESTAMP(6)") {
        @Override
        String tryLockSchema() {
            return "SELECT GET_LOCK(CONCAT('sluice_outbox.', DATABASE()), 0) = 1";
        }

        @Override
        String unlockSchema() {
            return "SELECT RELEASE_LOCK(CONCAT('sluice_outbox.', DATABASE()))";
        }

        @Override
        List<String> waitAtMost(Duration wait) {
            return List.of("SET SESSION lock_wait_timeout = " + Math.ceilDiv(wait.toMillis(), 1_000));
        }

        @Override
        List<String> waitAsBefore() {
            return List.of("SET SESSION lock_wait_timeout = DEFAULT");
        }

        @Override
        String dropIndex(String index) {
            return "DROP INDEX " + index + " ON outbox_events";
        }

        @Override
        String useUrgentIndex() {
            return " FORCE INDEX (outbox_events_urgent)";
        }

        @Override
        String findIndex() {
            return "SELECT TRUE FROM information_schema.statistics WHERE table_schema = DATABASE() AND index_name = ?";
        }

        @Override
        String notIn(String column, int values) {
            return " AND CAST(" + column + " AS BINARY) NOT IN ("
                    + String.join(", ", Collections.nCopies(values, "CAST(? AS BINARY)")) + ')';
        }

        @Override
        String text() {
            return "CHAR";
        }

        @Override
        String integer() {
            return "SIGNED";
        }

        @Override
        String bigInteger() {
            return "SIGNED";
        }

        @Override
        String deleteOldest(String table, String column) {
            return "DELETE FROM " + table + " WHERE " + column + " < ? ORDER BY " + column + " LIMIT ?";
        }

        @Override
        String instant(String column) {
            return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', " + column + ')';
        }

        @Override
        Instant instant(ResultSet row, int column) throws SQLException {
            return Instant.EPOCH.plus(row.getLong(column), ChronoUnit.MICROS);
        }

        @Override
        Object value(Instant instant) {
            return LocalDateTime.ofInstant(instant.truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC)
                    .toString()
                    .replace('T', ' ');
        }

        /** The first half finds it by an index, the second tells it from one with spaces behind it. */
        @Override
        String equal(String column) {
            return column + " = ? AND CAST(" + column + " AS BINARY) = CAST(? AS BINARY)";
        }

        @Override
        List<Object> equalTo(String text) {
            return List.of(text, text);
        }

        @Override
        String later() {
            return "UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND";
        }

        /** Bytes, which it looks up among those of all parked keys; by texts it takes spaces behind a key for nothing. */
        @Override
        String notParked(String column) {
            return " AND CAST(" + column
                    + " AS BINARY) NOT IN (SELECT CAST(w.message_key AS BINARY) FROM outbox_parked w"
                    + " WHERE w.retry_at > UTC_TIMESTAMP(6))";
        }

        /** Its default, REPEATABLE READ, would lock the gaps that new rows go into. */
        @Override
        List<String> enter(Duration silence) {
            return List.of(
                    "SET @sluice_silence = @@session.wait_timeout, SESSION wait_timeout = "
                            + Math.ceilDiv(silence.toMillis(), 1_000),
                    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        }

        @Override
        List<String> leave() {
            return List.of("SET SESSION wait_timeout = @sluice_silence");
        }
    },
    H2("h2", "CURRENT_TIMESTAMP") {
        /** Has no such lock; within a process there is another, see SchemaLock. */
        @Override
        String tryLockSchema() {
            return "SELECT TRUE";
        }

        @Override
        String unlockSchema() {
            return "SELECT TRUE";
        }

        @Override
        List<String> waitAtMost(Duration wait) {
            return List.of("SET @sluice_wait = LOCK_TIMEOUT()", "SET LOCK_TIMEOUT " + wait.toMillis());
        }

        @Override
        List<String> waitAsBefore() {
            return List.of("SET LOCK_TIMEOUT @sluice_wait");
        }

        @Override
        String useUrgentIndex() {
            return " USE INDEX (outbox_events_urgent)";
        }

        @Override
        String findIndex() {
            return "SELECT TRUE FROM information_schema.indexes WHERE table_schema = SCHEMA() AND index_name = UPPER(?)";
        }

        @Override
        String later() {
            return "DATEADD('MICROSECOND', ?, CURRENT_TIMESTAMP)";
        }
    };

    private static final long SCHEMA_LOCK = 0x736c75696365_0b0cL;

    /** The channel on which PostgreSQL tells that something was committed. */
    public static final String CHANNEL = "sluice_outbox";

    private final String folder;
    private final String now;

    OutboxDialect(String folder, String now) {
        this.folder = folder;
        this.now = now;
    }

    /** Where its scripts are. */
    String folder() {
        return folder;
    }

    /** The database's time. */
    String now() {
        return now;
    }

    /** Answers true when this session has got the right to change the schema. */
    abstract String tryLockSchema();

    abstract String unlockSchema();

    /** A change of a table must not queue long behind a slow transaction, since all others would queue behind it. */
    abstract List<String> waitAtMost(Duration wait);

    abstract List<String> waitAsBefore();

    /** Finds an index by name, and answers whether it is usable. */
    abstract String findIndex();

    /** Behind the table's name, where the database would rather look through all pending rows for urgent ones. */
    String useUrgentIndex() {
        return "";
    }

    /** Drops an index of {@code outbox_events}. */
    String dropIndex(String index) {
        return "DROP INDEX " + index;
    }

    /** A condition that leaves out this many values; the values are bound in their order, on PostgreSQL as one array. */
    String notIn(String column, int values) {
        return " AND " + column + " NOT IN (" + String.join(", ", Collections.nCopies(values, "?")) + ')';
    }

    /** What a bound text is cast to where its type cannot be seen. */
    String text() {
        return "VARCHAR";
    }

    /** What a bound number is cast to where its type cannot be seen. */
    String integer() {
        return "INT";
    }

    String bigInteger() {
        return "BIGINT";
    }

    /** Deletes the rows that have a lower value in this column than the first bound one, at most as many as the second. */
    String deleteOldest(String table, String column) {
        return "DELETE FROM " + table + " WHERE id IN (SELECT id FROM " + table + " WHERE " + column + " < ? ORDER BY "
                + column + " LIMIT ?)";
    }

    /** A condition for a text that is exactly this one; bound by {@link #equalTo}. */
    String equal(String column) {
        return column + " = ?";
    }

    List<Object> equalTo(String text) {
        return List.of(text);
    }

    /** The time from now in so many microseconds, which are bound. */
    abstract String later();

    /**
     * A condition that leaves out the keys that are parked now. The clock is read for each row, so that PostgreSQL looks each
     * key up in the index and stops at the limit, in place of joining and sorting all rows.
     */
    String notParked(String column) {
        return " AND NOT EXISTS (SELECT 1 FROM outbox_parked w WHERE w.message_key = " + column + " AND w.retry_at > "
                + now + ')';
    }

    /** What to select in order to read a time. */
    String instant(String column) {
        return column;
    }

    Instant instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    /** A time to be bound. */
    Object value(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    /**
     * The statements a transaction begins with.
     *
     * @param silence after so much of it from the client the server ends the transaction (not H2), so that one who is
     *     frozen does not keep rows locked that its successor needs
     */
    List<String> enter(Duration silence) {
        return List.of();
    }

    /** The statements that leave the session to its owner as it was, after the transaction. */
    List<String> leave() {
        return List.of();
    }

    /** A condition for ids, which are numbers and need no binding. */
    static String in(String column, Collection<? extends Number> ids) {
        return ids.stream().map(Number::toString).collect(Collectors.joining(", ", column + " IN (", ")"));
    }

    /** @throws InvalidInputException for a database it was not written for */
    public static OutboxDialect of(Connection connection) throws SQLException {
        String name = connection.getMetaData().getDatabaseProductName();
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "postgresql" -> POSTGRESQL;
            case "mariadb", "mysql" -> MARIADB;
            case "h2" -> H2;
            default -> throw new InvalidInputException("an outbox needs PostgreSQL, MariaDB, MySQL or H2, not " + name);
        };
    }
}
