package dev.sluice.outbox.table;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One connection, in the hands of one call. */
record Session(Connection connection, OutboxDialect dialect) {
    /** What a row says. */
    interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** @return how many rows it changed */
    int update(String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            return statement.executeUpdate();
        }
    }

    <T> List<T> query(String sql, Reader<T> reader, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            try (ResultSet rows = statement.executeQuery()) {
                List<T> read = new ArrayList<>();
                while (rows.next()) {
                    read.add(reader.read(rows));
                }
                return read;
            }
        }
    }

    boolean exists(String sql, @Nullable Object... values) throws SQLException {
        return !query(sql, row -> true, values).isEmpty();
    }

    /** The same statement once for each list of values, all of them sent together. */
    void batch(String sql, Collection<List<Object>> each) throws SQLException {
        if (each.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (List<Object> values : each) {
                bind(statement, values.toArray());
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    private static void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
        for (int k = 0; k < values.length; k++) {
            statement.setObject(k + 1, values[k]);
        }
    }

    /** For PostgreSQL: a whole list as one value. */
    Object array(String type, Collection<?> values) throws SQLException {
        return connection.createArrayOf(type, values.toArray());
    }
}
