package dev.sluice.testkit.servers;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A client that keeps texts in a table. */
record SqlTexts(Connection connection) implements RealServerContract.Client {

    static SqlTexts connect(String jdbcUrl, String createTable) throws SQLException {
        var connection = DriverManager.getConnection(jdbcUrl);
        try (var statement = connection.createStatement()) {
            statement.execute(createTable);
        }
        return new SqlTexts(connection);
    }

    @Override
    public void write(String text, Duration patience) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, (int) patience.toMillis());
        try (var insert = connection.prepareStatement("INSERT INTO texts (content) VALUES (?)")) {
            insert.setString(1, text);
            insert.executeUpdate();
        }
    }

    @Override
    public List<String> readAll() throws SQLException {
        return column("SELECT content FROM texts ORDER BY id");
    }

    @Override
    public void write(String text) throws SQLException {
        write(text, RealServerContract.PATIENCE);
    }

    List<String> column(String query) throws SQLException {
        var texts = new ArrayList<String>();
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
        }
        return texts;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
