package dev.sluice.outbox.table;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.testkit.servers.MariaDbServer;
import dev.sluice.testkit.servers.PostgresServer;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** The databases that every test of the tables runs on. */
public enum TestDatabase {
    POSTGRESQL {
        /** A schema is there at once; a database of its own would cost files. */
        @Override
        String newUrl() {
            String schema = "outbox_" + MADE.incrementAndGet();
            PostgresServer server = PostgresServer.shared();
            try (Connection connection = DriverManager.getConnection(server.url());
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE SCHEMA " + schema);
                return server.url() + "&currentSchema=" + schema;
            } catch (SQLException failed) {
                throw new IllegalStateException(failed);
            }
        }
    },
    MARIADB {
        @Override
        String newUrl() {
            MariaDbServer server = MariaDbServer.shared();
            return server.jdbcUrl(server.createDatabase());
        }
    },
    H2 {
        @Override
        String newUrl() {
            return "jdbc:h2:mem:outbox" + MADE.incrementAndGet() + ";DB_CLOSE_DELAY=-1";
        }
    };

    private static final AtomicInteger MADE = new AtomicInteger();

    abstract String newUrl();

    /** A pool on an empty database. */
    public HikariDataSource empty() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(newUrl());
        config.setMaximumPoolSize(12);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    /** A pool on a database with the tables. */
    public HikariDataSource ready() {
        HikariDataSource pool = empty();
        OutboxSchema.create(pool);
        return pool;
    }

    public static List<String> ask(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> answers = new ArrayList<>();
            while (rows.next()) {
                answers.add(rows.getString(1));
            }
            return answers;
        }
    }

    public static void run(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Runs a statement of its own once, just before the first one that contains this text is prepared. */
    static DataSource before(DataSource source, String text, String statement) {
        var done = new AtomicBoolean();
        return proxy(
                DataSource.class,
                source,
                (name, args, result) -> result instanceof Connection connection
                        ? proxy(Connection.class, connection, (call, values, answer) -> {
                            if (call.equals("prepareStatement")
                                    && values[0].toString().contains(text)
                                    && done.compareAndSet(false, true)) {
                                run(source, statement);
                            }
                            return answer;
                        })
                        : result);
    }

    /** What becomes of a call's result. */
    private interface After {
        Object apply(String name, Object[] args, Object result) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, T target, After after) {
        return type.cast(Proxy.newProxyInstance(
                TestDatabase.class.getClassLoader(),
                new Class<?>[] {type},
                (self, method, args) -> after.apply(method.getName(), args, method.invoke(target, args))));
    }
}
