package dev.sluice.outbox.relay;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.outbox.table.KeyHash;
import dev.sluice.outbox.table.OutboxSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;

/** Rows of an outbox in a database, for tests of what relays them. */
public record TestRows(DataSource source, int partitions) {
    private static final AtomicInteger MADE = new AtomicInteger();

    /** On a new H2 in this process. */
    static TestRows onH2(int partitions) {
        JdbcConnectionPool pool = JdbcConnectionPool.create(
                "jdbc:h2:mem:relay" + MADE.incrementAndGet() + ";DB_CLOSE_DELAY=-1", "sa", "");
        OutboxSchema.create(pool);
        return new TestRows(pool, partitions);
    }

    void add(String topic, List<String> keys) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            for (String key : keys) {
                add(connection, topic, key, key);
            }
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    /** In the transaction the connection is in. */
    public void add(Connection connection, String topic, String key, String payload) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO outbox_events (partition_id, topic, message_key, payload) VALUES (?, ?, ?, ?)")) {
            insert.setInt(1, KeyHash.partition(key, partitions));
            insert.setString(2, topic);
            insert.setString(3, key);
            insert.setBytes(4, payload.getBytes(UTF_8));
            insert.executeUpdate();
        }
    }

    public long count(String table) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement count = connection.prepareStatement("SELECT COUNT(*) FROM " + table);
                ResultSet row = count.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }
}
