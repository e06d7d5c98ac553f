package dev.sluice.outbox.kafka;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/** How large a record is for Kafka, alone in its batch, not compressed. */
final class RecordSize {
    private static final int BATCH_OVERHEAD = 61;
    /** What the producer reckons at most for a record besides its fields. */
    private static final int MOST_RECORD_OVERHEAD = 21;
    /** Attributes, and the differences of time and offset, which are 0. */
    private static final int LEAST_RECORD_OVERHEAD = 3;

    private static final int BITS_PER_BYTE = 7;

    private RecordSize() {}

    /** As the producer reckons it against {@code max.request.size}. */
    static long inProducer(ProducerRecord<byte[], byte[]> record) {
        return BATCH_OVERHEAD + MOST_RECORD_OVERHEAD + fields(record);
    }

    /** As the broker reckons it against {@code max.message.bytes}. */
    static long inBroker(ProducerRecord<byte[], byte[]> record) {
        long body = LEAST_RECORD_OVERHEAD + fields(record);
        return BATCH_OVERHEAD + varint(body) + body;
    }

    private static long fields(ProducerRecord<byte[], byte[]> record) {
        long size = field(record.key()) + field(record.value());
        int headers = 0;
        for (Header header : record.headers()) {
            size += field(header.key().getBytes(StandardCharsets.UTF_8)) + field(header.value());
            headers++;
        }
        return size + varint(headers);
    }

    private static long field(byte[] value) {
        return varint(value.length) + value.length;
    }

    /** Of a number that is not negative, in zigzag form. */
    private static int varint(long number) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, number << 1));
        return (bits + BITS_PER_BYTE - 1) / BITS_PER_BYTE;
    }
}
