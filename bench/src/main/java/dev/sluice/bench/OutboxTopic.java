package dev.sluice.bench;

import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A topic whose records carry the time at which the broker took them, and what a consumer finds in it. */
final class OutboxTopic {
    private static final int PARTITIONS = 6;
    private static final Duration POLL = Duration.ofMillis(200);

    private final String bootstrap;
    private final String name;
    private final List<TopicPartition> partitions;

    OutboxTopic(String bootstrap, String name) throws ExecutionException, InterruptedException {
        this.bootstrap = bootstrap;
        this.name = name;
        this.partitions = IntStream.range(0, PARTITIONS)
                .mapToObj(number -> new TopicPartition(name, number))
                .toList();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            NewTopic topic = new NewTopic(name, Optional.of(PARTITIONS), Optional.empty())
                    .configs(Map.of("message.timestamp.type", "LogAppendTime"));
            admin.createTopics(List.of(topic)).all().get();
        }
    }

    String name() {
        return name;
    }

    /** Where each partition ends now. */
    Map<TopicPartition, Long> ends() {
        try (KafkaConsumer<String, byte[]> consumer = consumer()) {
            return consumer.endOffsets(partitions);
        }
    }

    /** Reads everything that was committed after these ends. */
    Found readFrom(Map<TopicPartition, Long> starts) {
        Found found = new Found();
        try (KafkaConsumer<String, byte[]> consumer = consumer()) {
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            starts.forEach(consumer::seek);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(POLL).forEach(found::add);
            }
        }
        return found;
    }

    /** A consumer of the whole topic, from now on. */
    KafkaConsumer<String, byte[]> follow() {
        KafkaConsumer<String, byte[]> consumer = consumer();
        consumer.seekToEnd(partitions);
        partitions.forEach(consumer::position);
        return consumer;
    }

    private KafkaConsumer<String, byte[]> consumer() {
        KafkaConsumer<String, byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed", "max.poll.records", 10_000),
                new StringDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(partitions);
        return consumer;
    }

    /** What came out: how many, which twice, which in the wrong order within their key; and when the broker took them. */
    static final class Found {
        private final BitSet numbers = new BitSet();
        private final Map<String, Long> last = new HashMap<>();
        private long[] times = new long[1 << 16];
        private long count;
        private long inversions;
        private long first = Long.MAX_VALUE;
        private long latest = Long.MIN_VALUE;

        private void add(ConsumerRecord<String, byte[]> found) {
            long number = OutboxLoad.number(found.value());
            if (!found.key().equals(OutboxLoad.key(number))) {
                throw new IllegalStateException("message " + number + " came with the key " + found.key());
            }
            if (count == times.length) {
                times = Arrays.copyOf(times, times.length * 2);
            }
            times[(int) count++] = found.timestamp();
            numbers.set((int) number);
            Long before = last.put(found.key(), number);
            if (before != null && before >= number) {
                inversions++;
            }
            first = Math.min(first, found.timestamp());
            latest = Math.max(latest, found.timestamp());
        }

        /** How fast they came between these shares of all, by the broker's clock. */
        double eventsPerSecond(double from, double to) {
            long[] times = Arrays.stream(this.times, 0, (int) count).sorted().toArray();
            int start = (int) (count * from);
            int end = (int) (count * to) - 1;
            return (end - start) * 1e3 / Math.max(1, times[end] - times[start]);
        }

        long inversions() {
            return inversions;
        }

        /** From the first to the last, by the broker's clock. */
        long nanos() {
            return Math.max(1, latest - first) * 1_000_000;
        }

        /** Each of so many messages exactly once. */
        void requireAll(String who, int expected) {
            if (count != expected || numbers.cardinality() != expected) {
                throw new IllegalStateException("%s: %,d messages were written, %,d different ones and %,d in all came"
                        .formatted(who, expected, numbers.cardinality(), count));
            }
        }
    }
}
