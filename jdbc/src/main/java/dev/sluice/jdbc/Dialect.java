package dev.sluice.jdbc;

import dev.sluice.model.InvalidInputException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import net.javacrumbs.shedlock.provider.sql.DatabaseProduct;

/**
 * What differs between the databases. A transaction runs with READ COMMITTED (each statement sees what was committed
 * before it), in UTC (ShedLock writes UTC, and some types of column convert by the session's zone), with bounded waits
 * for locks, and ends on the server when its client falls silent: a paused client must not keep rows locked.
 */
enum Dialect {
    POSTGRESQL(DatabaseProduct.POSTGRES_SQL, "postgresql", "timezone('utc', clock_timestamp())") {
        @Override
        List<String> enter(Duration timeout) {
            return List.of(
                    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL TIME ZONE 'UTC'; SET LOCAL lock_timeout = "
                            + timeout.toMillis() / 2 + "; SET LOCAL idle_in_transaction_session_timeout = "
                            + timeout.toMillis());
        }

        @Override
        List<String> leave() {
            return List.of();
        }
    },
    /** Also for MySQL: {@code wait_timeout} is the one limit on silence that both have. */
    MARIADB(DatabaseProduct.MARIA_DB, "mariadb", "UTC_TIMESTAMP(3)") {
        @Override
        List<String> enter(Duration timeout) {
            return List.of(
                    "SET @sluice_zone = @@session.time_zone, @sluice_wait = @@session.wait_timeout,"
                            + " SESSION time_zone = '+00:00', SESSION wait_timeout = " + (timeout.toSeconds() + 1),
                    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        }

        @Override
        List<String> leave() {
            return List.of("SET SESSION time_zone = @sluice_zone, SESSION wait_timeout = @sluice_wait");
        }
    },
    /** READ COMMITTED and a bounded wait for locks are its defaults. */
    H2(DatabaseProduct.H2, "h2", "CURRENT_TIMESTAMP(3)") {
        @Override
        List<String> enter(Duration timeout) {
            return List.of(
                    "SET @sluice_zone = (SELECT setting_value FROM information_schema.settings"
                            + " WHERE setting_name = 'TIME ZONE')",
                    "SET TIME ZONE 'UTC'");
        }

        @Override
        List<String> leave() {
            return List.of("SET TIME ZONE @sluice_zone");
        }
    };

    private final DatabaseProduct product;
    private final String folder;
    private final String now;

    Dialect(DatabaseProduct product, String folder, String now) {
        this.product = product;
        this.folder = folder;
        this.now = now;
    }

    /** The statements a transaction begins with. */
    abstract List<String> enter(Duration timeout);

    /** The statements that leave the session to its owner as it was, after the transaction. */
    abstract List<String> leave();

    /** What ShedLock's statements depend on. */
    DatabaseProduct product() {
        return product;
    }

    /** The time, read when the statement runs, comparable with {@code lock_until} as ShedLock writes it. */
    String now() {
        return now;
    }

    /** The resource that creates the tables. */
    String script() {
        return folder + "/V1__coordination.sql";
    }

    /** H2 would keep a statement's limit for the whole session, and it bounds waits for locks by itself. */
    boolean limitsStatements() {
        return this != H2;
    }

    /** @throws InvalidInputException for a database it was not written for */
    static Dialect of(Connection connection) throws SQLException {
        String name = connection.getMetaData().getDatabaseProductName();
        return switch (DatabaseProduct.matchProductName(name)) {
            case POSTGRES_SQL -> POSTGRESQL;
            case MARIA_DB, MY_SQL -> MARIADB;
            case H2 -> H2;
            case SQL_SERVER, ORACLE, HQL, DB2, COCKROACH_DB, UNKNOWN ->
                throw new InvalidInputException(
                        "coordination over JDBC needs PostgreSQL, MariaDB, MySQL or H2, not " + name);
        };
    }
}
