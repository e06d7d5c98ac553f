package dev.sluice.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.testkit.servers.MariaDbServer;
import dev.sluice.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** The databases that every test of this module runs on. */
enum TestDatabase {
    POSTGRESQL("SET TIME ZONE '%s'", "SHOW TimeZone", "TIMESTAMPTZ") {
        @Override
        String newUrl() {
            return newSchema(PostgresServer.shared());
        }
    },
    MARIADB("SET SESSION time_zone = '%s'", "SELECT @@session.time_zone", "TIMESTAMP(3)") {
        @Override
        String newUrl() {
            MariaDbServer server = MariaDbServer.shared();
            return server.jdbcUrl(server.createDatabase());
        }
    },
    H2(
            "SET TIME ZONE '%s'",
            "SELECT setting_value FROM information_schema.settings WHERE setting_name = 'TIME ZONE'",
            "TIMESTAMP(3) WITH TIME ZONE") {
        @Override
        String newUrl() {
            return "jdbc:h2:mem:test" + MADE.incrementAndGet() + ";DB_CLOSE_DELAY=-1";
        }
    };

    private static final AtomicInteger MADE = new AtomicInteger();

    private final String setZone;
    private final String showZone;
    private final String zonedType;

    TestDatabase(String setZone, String showZone, String zonedType) {
        this.setZone = setZone;
        this.showZone = showZone;
        this.zonedType = zonedType;
    }

    /** An empty schema, which is there at once; a database of its own would cost files, and time after each crash. */
    static String newSchema(PostgresServer server) {
        String schema = "jdbc_" + MADE.incrementAndGet();
        try (Connection connection = DriverManager.getConnection(server.url());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA " + schema);
            return server.url() + "&currentSchema=" + schema;
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** An empty database. */
    abstract String newUrl();

    /** The type of column that the server converts by the session's zone. */
    String zonedType() {
        return zonedType;
    }

    static HikariDataSource pool(String url) {
        return new HikariDataSource(config(url));
    }

    HikariDataSource poolInZone(String url, String zone) {
        HikariConfig config = config(url);
        config.setConnectionInitSql(setZone.formatted(zone));
        return new HikariDataSource(config);
    }

    String zoneOf(DataSource source) throws SQLException {
        return ask(source, showZone);
    }

    private static HikariConfig config(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(4);
        config.setMinimumIdle(0);
        config.setInitializationFailTimeout(-1);
        return config;
    }

    /** A pool on a new database with the tables. */
    HikariDataSource ready() {
        HikariDataSource pool = pool(newUrl());
        JdbcCoordinationStore.createTables(pool);
        return pool;
    }

    static String ask(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    static void run(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
