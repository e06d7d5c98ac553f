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

    /**
     * For readers of committed records ({@code isolation.level=read_committed}) every row comes once and every key in order,
     * whatever crashes. Needs brokers with {@code transaction.version} 2 (Kafka 4.0), and a topic {@code
     * {name}-outbox-progress}, which it makes.
     */
    public static Sink exactlyOnce(Map<String, Object> properties) {
        return exactlyOnce(properties, RecordFormat.PLAIN);
    }

    public static Sink exactlyOnce(Map<String, Object> properties, RecordFormat format) {
        return new ExactlyOnceSink(new ClientProperties(properties), format);
    }
}
