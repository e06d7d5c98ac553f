package dev.sluice.outbox.table;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;

/** Writes rows in somebody's transaction, which it neither commits nor rolls back. */
public final class NewRows {
    private static final String INSERT = "INSERT INTO outbox_events"
            + " (partition_id, topic, message_key, type, payload, headers, priority) VALUES (?, ?, ?, ?, ?, ?, ?)";

    private NewRows() {}

    /** Their ids are in the order of the rows. */
    public static void insert(Connection connection, Collection<NewRow> rows) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            if (rows.size() == 1) {
                bind(statement, rows.iterator().next());
                statement.executeUpdate();
                return;
            }
            for (NewRow row : rows) {
                bind(statement, row);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    private static void bind(PreparedStatement statement, NewRow row) throws SQLException {
        statement.setInt(1, row.partition());
        statement.setString(2, row.topic());
        statement.setString(3, row.key());
        statement.setString(4, row.type());
        statement.setBytes(5, row.payload());
        statement.setString(6, HeaderText.of(row.headers()));
        statement.setInt(7, row.priority());
    }
}
