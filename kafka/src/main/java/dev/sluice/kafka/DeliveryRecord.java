package dev.sluice.kafka;

import dev.sluice.deliver.Delivery;
import dev.sluice.model.ChangeEvent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * An event as a record: the key is the document id (none for control events, which go to every partition), the value the event's JSON
 * object; the record's time is when it is sent, because Kafka ends records by it. What belongs to the match is in headers, as text: {@code subscription-id},
 * {@code event-id}, {@code type}, {@code partition}, {@code seq}, {@code token} (generation.epoch), {@code redelivery};
 * {@code representative} and the {@code priority} it stands for where that is so.
 */
final class DeliveryRecord {
    private DeliveryRecord() {}

    /** @param partition null: the key decides */
    static ProducerRecord<byte[], byte[]> of(Delivery delivery, String topic, @Nullable Integer partition) {
        ChangeEvent event = delivery.event().event();
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                topic,
                partition,
                null,
                delivery.type().isControl() ? null : utf8(event.documentId().text()),
                delivery.event().json(delivery.type()),
                List.<Header>of(
                        header("subscription-id", delivery.subscriptionId()),
                        header("event-id", event.id().toString()),
                        header("type", delivery.type().text()),
                        header("partition", Integer.toString(delivery.partition())),
                        header("seq", Long.toString(delivery.seq())),
                        header("token", delivery.token().toString()),
                        header("redelivery", Boolean.toString(delivery.redelivery()))));
        if (delivery.standsFor() != null) {
            record.headers().add(header("representative", "true"));
            record.headers().add(header("priority", delivery.standsFor().text()));
        }
        return record;
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, utf8(value));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
