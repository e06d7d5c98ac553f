package dev.sluice.outbox.table;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads rows of {@code outbox_events}, of one query. */
final class RowReader {
    /** The first columns of a query, in this order; the payload and the time depend on the query. */
    private static final String COLUMNS =
            "e.id, e.partition_id, e.topic, e.message_key, e.type, %s, e.headers, e.priority, %s";

    static final int PAYLOAD_COLUMN = 6;
    static final int NEXT_COLUMN = 10;

    private final OutboxDialect dialect;
    /** Most rows have the same headers as the one before, or none. */
    private @Nullable String lastHeaders;

    private Map<String, String> headers = Map.of();

    RowReader(OutboxDialect dialect) {
        this.dialect = dialect;
    }

    static String columns(OutboxDialect dialect, String payload) {
        return COLUMNS.formatted(payload, dialect.instant("e.created_at"));
    }

    byte @Nullable [] payload(ResultSet row) throws SQLException {
        return row.getBytes(PAYLOAD_COLUMN);
    }

    Row row(ResultSet row, byte[] payload) throws SQLException {
        return row(row, payload, headers(row.getString(7)));
    }

    Row row(ResultSet row, byte[] payload, Map<String, String> itsHeaders) throws SQLException {
        int partition = row.getInt(2);
        Integer known = row.wasNull() ? null : partition;
        return new Row(
                row.getLong(1),
                known,
                row.getString(3),
                row.getString(4),
                row.getString(5),
                payload,
                itsHeaders,
                row.getInt(8),
                dialect.instant(row, 9));
    }

    private Map<String, String> headers(@Nullable String text) {
        if (text == null) {
            return Map.of();
        }
        if (!text.equals(lastHeaders)) {
            headers = HeaderText.read(text);
            lastHeaders = text;
        }
        return headers;
    }
}
