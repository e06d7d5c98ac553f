package dev.sluice.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * How Kafka gateways are reached.
 *
 * @param timeout of an attempt
 * @param client what Kafka's clients take besides, such as {@code security.protocol} and {@code sasl.jaas.config}
 */
public record KafkaDelivery(Duration timeout, Map<String, Object> client) {
    private static final int LARGEST_RECORD = 64 << 20;
    private static final int BATCH_BYTES = 256 << 10;
    private static final Duration SHORTEST = Duration.ofMillis(100);

    public KafkaDelivery {
        client = Map.copyOf(client);
        if (timeout.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException("A delivery to Kafka needs a timeout of 100 ms or more.");
        }
    }

    public static KafkaDelivery of(Duration timeout) {
        return new KafkaDelivery(timeout, Map.of());
    }

    /** How long an attempt may look topics up. With the times below, all of it together is the timeout. */
    Duration lookup() {
        return timeout.dividedBy(8);
    }

    /** How long an attempt goes on sending after that. */
    long startNanos() {
        return timeout.toNanos() / 4;
    }

    Map<String, Object> producer(String servers) {
        Map<String, Object> all = admin(servers);
        all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        all.put(ProducerConfig.ACKS_CONFIG, "all");
        // With more, a broker that begins to lead a partition between two requests refuses the first and takes the
        // second, then refuses the first until it times out (KAFKA-15591). Larger batches make up for it.
        all.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        all.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        all.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, timeout.toMillis() / 8);
        all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.toIntExact(timeout.toMillis() / 2));
        all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Math.toIntExact(timeout.toMillis() / 2));
        // The brokers say what is too large.
        all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, LARGEST_RECORD);
        all.put(ProducerConfig.BUFFER_MEMORY_CONFIG, (long) LARGEST_RECORD);
        return all;
    }

    Map<String, Object> admin(String servers) {
        Map<String, Object> all = new HashMap<>(client);
        all.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, servers);
        all.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, Math.toIntExact(timeout.toMillis() / 2));
        all.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, Math.toIntExact(timeout.toMillis() / 2));
        // The lane paces attempts: when one comes, a broker that is back is to be found.
        all.put(CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG, 50L);
        all.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500L);
        return all;
    }

    /** Without what may be secret. */
    @Override
    public String toString() {
        return "KafkaDelivery[" + timeout + ']';
    }
}
