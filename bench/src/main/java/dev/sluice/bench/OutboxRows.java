package dev.sluice.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of an outbox under test: written once through its own API and kept aside; then copied back for each round, all
 * in one transaction with fresh statistics, so that every round drains the same table.
 */
final class OutboxRows implements AutoCloseable {
    private static final String KEPT = "kept_rows";
    private static final long PATIENCE_NANOS = 120_000_000_000L;

    private final OutboxUnderTest subject;
    private final Connection connection;

    OutboxRows(OutboxUnderTest subject, String jdbc) throws SQLException {
        this.subject = subject;
        this.connection = DriverManager.getConnection(jdbc);
    }

    void write(int count) throws Exception {
        subject.createTables();
        subject.write(count);
        if (left() != count) {
            throw new IllegalStateException("%,d messages were written as %,d rows".formatted(count, left()));
        }
        execute("CREATE TABLE " + KEPT + " AS TABLE " + subject.table());
        execute("TRUNCATE " + subject.table());
        execute("VACUUM ANALYZE " + KEPT);
        execute("CHECKPOINT");
    }

    void fill(int count) throws SQLException {
        String columns = String.join(", ", columns());
        connection.setAutoCommit(false);
        execute("INSERT INTO %s (%s) SELECT %s FROM %s ORDER BY %s LIMIT %d"
                .formatted(subject.table(), columns, columns, KEPT, subject.order(), count));
        execute("ANALYZE " + subject.table());
        connection.commit();
        connection.setAutoCommit(true);
    }

    private List<String> columns() throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM " + KEPT + " LIMIT 0")) {
            for (int k = 1; k <= rows.getMetaData().getColumnCount(); k++) {
                names.add(rows.getMetaData().getColumnName(k));
            }
        }
        names.removeAll(subject.generated());
        return names;
    }

    /** Waits until nothing is left, then gives the space back: a round leaves nothing behind for the next. */
    void clear() throws SQLException, InterruptedException {
        awaitEmpty();
        execute("TRUNCATE " + subject.table());
        execute("CHECKPOINT");
    }

    void awaitEmpty() throws SQLException, InterruptedException {
        long patience = System.nanoTime() + PATIENCE_NANOS;
        while (left() > 0) {
            if (System.nanoTime() > patience) {
                throw new IllegalStateException(left() + " rows were sent, but are still in " + subject.table());
            }
            Thread.sleep(200);
        }
    }

    private long left() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM " + subject.table())) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
