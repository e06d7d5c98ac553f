package dev.sluice.outbox.kafka;

import dev.sluice.outbox.relay.Sink;
import java.util.Map;

/**
 * Kafka as the receiver of an outbox. The properties are those of Kafka's producer: {@code bootstrap.servers}, and whatever
 * else the brokers ask for. What order and durability depend on ({@code acks}, idempotence, timeouts, serializers) is set
 * here, and refused when it contradicts.
 */
public final class KafkaSinks {
    private KafkaSinks() {}

    /** Nothing is lost, first occurrences of a key are in order; after a crash rows that were under way come again. */
    public static Sink atLeastOnce(Map<String, Object> properties) {
        return atLeastOnce(properties, RecordFormat.PLAIN);
    }

    public static Sink atLeastOnce(Map<String, Object> properties, RecordFormat format) {
        return new AtLeastOnceSink(new ClientProperties(properties), format);
    }
}
