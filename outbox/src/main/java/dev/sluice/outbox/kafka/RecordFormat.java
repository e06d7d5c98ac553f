package dev.sluice.outbox.kafka;

import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.outbox.table.Row;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;

/**
 * How a row becomes a record: key and payload as they are, the message's headers as headers. Every record says which row it
 * was ({@code outbox-id}, or {@code ce_id}), so that a consumer can tell a repeat.
 */
public final class RecordFormat {
    public static final String ID = "outbox-id";
    public static final String TYPE = "type";

    /** The message's headers, its type and its row's id. */
    public static final RecordFormat PLAIN = new RecordFormat("");

    private static final String CLOUD_EVENTS_VERSION = "1.0";

    private final String source;

    private RecordFormat(String source) {
        this.source = source;
    }

    /**
     * CloudEvents 1.0, binary mode: {@code ce_} headers besides the message's own. The event's id is the row's, its subject
     * the key.
     *
     * @param source who the events are from, as a URI or a path such as {@code /orders}
     */
    public static RecordFormat cloudEvents(String source) {
        if (source.isBlank()) {
            throw new InvalidInputException("CloudEvents name their source, such as /orders");
        }
        return new RecordFormat(source);
    }

    ProducerRecord<byte[], byte[]> record(Row row) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(row.topic(), null, null, bytes(row.key()), row.payload());
        Headers headers = record.headers();
        for (Map.Entry<String, String> header : row.headers().entrySet()) {
            headers.add(header.getKey(), bytes(header.getValue()));
        }
        String id = row.publishedId();
        if (source.isEmpty()) {
            headers.add(ID, bytes(id));
            if (!row.type().isEmpty()) {
                headers.add(TYPE, bytes(row.type()));
            }
        } else {
            headers.add("ce_specversion", bytes(CLOUD_EVENTS_VERSION));
            headers.add("ce_id", bytes(id));
            headers.add("ce_source", bytes(source));
            headers.add("ce_type", bytes(row.type().isEmpty() ? row.topic() : row.type()));
            headers.add("ce_subject", bytes(row.key()));
            headers.add("ce_time", bytes(row.createdAt().toString()));
            if (!row.headers().containsKey(OutboxMessage.CONTENT_TYPE)) {
                headers.add(OutboxMessage.CONTENT_TYPE, bytes("application/octet-stream"));
            }
        }
        return record;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
