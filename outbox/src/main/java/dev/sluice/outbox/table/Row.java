package dev.sluice.outbox.table;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pending message, as it stands in the table.
 *
 * @param id by the database's sequence: the order within a key
 * @param partition null when it was written by a node that knows no partitions yet
 * @param createdAt by the database's clock
 * @param publishedId by what a receiver recognises a repeat: the id, as long as it is a row of the table
 */
@SuppressWarnings("ArrayRecordComponent") // Rows are carried, never compared.
public record Row(
        long id,
        @Nullable Integer partition,
        String topic,
        String key,
        String type,
        byte[] payload,
        Map<String, String> headers,
        int priority,
        Instant createdAt,
        String publishedId) {
    /** No row of the table has it: a copy, of which the table knows nothing. */
    public static final long NONE = 0;

    public Row(
            long id,
            @Nullable Integer partition,
            String topic,
            String key,
            String type,
            byte[] payload,
            Map<String, String> headers,
            int priority,
            Instant createdAt) {
        this(id, partition, topic, key, type, payload, headers, priority, createdAt, Long.toString(id));
    }
}
