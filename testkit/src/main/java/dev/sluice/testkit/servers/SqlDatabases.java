package dev.sluice.testkit.servers;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes databases, none named twice in this JVM. */
final class SqlDatabases {

    private static final AtomicInteger MADE = new AtomicInteger();

    private SqlDatabases() {}

    static String create(String jdbcUrl) {
        var name = "test_" + MADE.incrementAndGet();
        try (var connection = DriverManager.getConnection(jdbcUrl);
                var statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
            return name;
        } catch (SQLException e) {
            throw new IllegalStateException("no database can be made at " + jdbcUrl, e);
        }
    }
}
