package dev.sluice.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** One connection, in the hands of one call. */
record Session(Connection connection, Dialect dialect, Deadline deadline) {
    /** What a row says. */
    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            limit(statement);
            statement.execute(sql);
        }
    }

    /** @return how many rows it changed */
    int update(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepare(sql, values)) {
            return statement.executeUpdate();
        }
    }

    <T> List<T> query(String sql, Row<T> row, Object... values) throws SQLException {
        try (PreparedStatement statement = prepare(sql, values);
                ResultSet rows = statement.executeQuery()) {
            List<T> read = new ArrayList<>();
            while (rows.next()) {
                read.add(row.read(rows));
            }
            return read;
        }
    }

    private PreparedStatement prepare(String sql, Object... values) throws SQLException {
        deadline.check();
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            limit(statement);
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement;
        } catch (SQLException failed) {
            statement.close();
            throw failed;
        }
    }

    private void limit(Statement statement) throws SQLException {
        if (dialect.limitsStatements()) {
            statement.setQueryTimeout(deadline.remainingSeconds());
        }
    }
}
