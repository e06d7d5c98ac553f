package dev.sluice.outbox.kafka;

import dev.sluice.model.InvalidInputException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * What Kafka's clients are told. An application says how to reach the brokers and tunes what it likes; what order and
 * durability depend on is ours, and a contradiction is refused.
 */
record ClientProperties(Map<String, Object> given) {
    /** 24 days: a send never ends by itself, or a later one of its key would overtake it. */
    private static final int NEVER = Integer.MAX_VALUE;

    /**
     * With more, a broker that begins to lead a partition between two requests refuses the first and takes the second, since it
     * knows no sequence number of this producer yet. Later rows then stand before earlier ones, and the first request is
     * retried and refused for ever (KAFKA-15591). Larger batches make up for it: a broker handles one request of a connection
     * at a time anyway.
     */
    private static final int IN_FLIGHT = 1;

    /** A call that waits for the cluster says so after this, and is tried again. */
    private static final int MAX_BLOCK_MS = 5_000;

    /** What a sender leaves open when it dies with its broker hides its partition's progress no longer than this. */
    private static final int TRANSACTION_MS = 30_000;

    private static final int BUFFER_BYTES = 64 << 20;
    private static final int BATCH_BYTES = 256 << 10;
    private static final Set<String> OURS = Set.of(
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
            ProducerConfig.RETRIES_CONFIG,
            ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
            ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
            ProducerConfig.PARTITIONER_CLASS_CONFIG,
            ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG,
            ProducerConfig.TRANSACTIONAL_ID_CONFIG);

    ClientProperties {
        given = Map.copyOf(given);
        for (String ours : OURS) {
            if (given.containsKey(ours)) {
                throw new InvalidInputException(ours + " is set by the outbox, which needs it for order and durability:"
                        + " take it out of the producer's properties");
            }
        }
        require(given, ProducerConfig.ACKS_CONFIG, List.of("all", "-1"));
        require(given, ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, List.of("true"));
        if (number(given, ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, IN_FLIGHT) != IN_FLIGHT) {
            throw new InvalidInputException(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION + " must be "
                    + IN_FLIGHT + ", not " + given.get(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION)
                    + ": with more, rows sent to a new topic may arrive out of order, or never (KAFKA-15591); for more"
                    + " throughput raise " + ProducerConfig.BATCH_SIZE_CONFIG
                    + "; where it comes from spring.kafka, set"
                    + " outbox.kafka.properties." + ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION + "=1");
        }
        if (!given.containsKey(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG)) {
            throw new InvalidInputException("say where Kafka is: " + ProducerConfig.BOOTSTRAP_SERVERS_CONFIG);
        }
    }

    private static void require(Map<String, Object> given, String name, List<String> allowed) {
        Object value = given.get(name);
        if (value != null && !allowed.contains(value.toString())) {
            throw new InvalidInputException(name + " must be " + allowed.getFirst() + ", not " + value
                    + ": the outbox deletes a row when it is acknowledged");
        }
    }

    private static long number(Map<String, Object> given, String name, long otherwise) {
        Object value = given.get(name);
        return value == null ? otherwise : Long.parseLong(value.toString());
    }

    Map<String, Object> producer() {
        Map<String, Object> all = new HashMap<>();
        all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MS);
        all.put(ProducerConfig.LINGER_MS_CONFIG, 1);
        all.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        all.put(ProducerConfig.BUFFER_MEMORY_CONFIG, (long) BUFFER_BYTES);
        reconnectSoon(all);
        all.putAll(given);
        all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        all.put(ProducerConfig.ACKS_CONFIG, "all");
        all.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, IN_FLIGHT);
        all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, NEVER);
        return all;
    }

    /** @param transactionalId the broker knows its last sender by it, and refuses all before */
    Map<String, Object> producer(String transactionalId) {
        Map<String, Object> all = producer();
        all.putIfAbsent(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_MS);
        all.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
        return all;
    }

    Map<String, Object> admin() {
        Map<String, Object> all = new HashMap<>();
        reconnectSoon(all);
        copy(AdminClientConfig.configNames(), all);
        all.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, MAX_BLOCK_MS);
        all.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, MAX_BLOCK_MS);
        return all;
    }

    /** A reader that sees only what was committed, and belongs to no group. */
    Map<String, Object> committedReader() {
        Map<String, Object> all = new HashMap<>();
        reconnectSoon(all);
        copy(ConsumerConfig.configNames(), all);
        all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        all.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, MAX_BLOCK_MS);
        all.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, MAX_BLOCK_MS);
        return all;
    }

    /** How to reach and prove oneself to the brokers, as far as another client has the same settings. */
    private void copy(Set<String> names, Map<String, Object> into) {
        given.forEach((name, value) -> {
            if (names.contains(name) && !name.equals(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG)) {
                into.put(name, value);
            }
        });
    }

    private static void reconnectSoon(Map<String, Object> all) {
        all.put(ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG, 50L);
        all.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500L);
    }

    /** What one record may have at most before the producer itself refuses it. */
    long largestRequest() {
        return Math.min(
                number(given, ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 1 << 20),
                number(given, ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES));
    }

    boolean compresses() {
        Object compression = given.get(ProducerConfig.COMPRESSION_TYPE_CONFIG);
        return compression != null && !compression.toString().equals("none");
    }

    /** With commas between. */
    String bootstrapServers() {
        Object servers = given.get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG);
        return servers instanceof Collection<?> several
                ? several.stream().map(String::valueOf).collect(Collectors.joining(","))
                : String.valueOf(servers);
    }

    /** Without what may be secret. */
    @Override
    public String toString() {
        return "Kafka at " + bootstrapServers();
    }
}
