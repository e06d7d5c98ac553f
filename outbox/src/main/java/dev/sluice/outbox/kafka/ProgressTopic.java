package dev.sluice.outbox.kafka;

import dev.sluice.outbox.relay.SinkUnavailableException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The compacted topic that remembers, per partition of the outbox, what was sent last. A record's key is the generation of its
 * sender, so that of each generation the last one stays.
 */
final class ProgressTopic {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(100);
    /** A record and the end of its transaction. */
    private static final long FIRST_LOOK = 2;

    private final ClientProperties properties;
    private final String name;

    ProgressTopic(ClientProperties properties, String outbox) {
        this.properties = properties;
        this.name = outbox + "-outbox-progress";
    }

    String name() {
        return name;
    }

    ProducerRecord<byte[], byte[]> record(int partition, Progress progress) {
        return new ProducerRecord<>(name, partition, key(progress.token().generation()), progress.toBytes());
    }

    private static byte[] key(long generation) {
        return Long.toString(generation).getBytes(StandardCharsets.UTF_8);
    }

    /** Makes sure that every partition of the outbox has one here. */
    void ensure(Admin admin, int partitions) throws SinkUnavailableException, InterruptedException {
        try {
            int there = partitions(admin);
            if (there == 0) {
                create(admin, partitions);
            } else if (there < partitions) {
                admin.createPartitions(Map.of(name, NewPartitions.increaseTo(partitions)))
                        .all()
                        .get();
            }
        } catch (ExecutionException failed) {
            // Another relay was faster.
            if (!(failed.getCause() instanceof TopicExistsException)
                    && !(failed.getCause() instanceof InvalidPartitionsException)) {
                throw unavailable(KafkaFailure.cause(failed));
            }
        }
    }

    /** 0 when it does not exist. */
    int partitions(Admin admin) throws SinkUnavailableException, InterruptedException {
        try {
            TopicDescription found =
                    admin.describeTopics(List.of(name)).allTopicNames().get().get(name);
            return found == null ? 0 : found.partitions().size();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof UnknownTopicOrPartitionException) {
                return 0;
            }
            throw unavailable(KafkaFailure.cause(failed));
        }
    }

    private void create(Admin admin, int partitions) throws ExecutionException, InterruptedException {
        NewTopic topic = new NewTopic(name, Optional.of(partitions), Optional.empty())
                .configs(Map.of(
                        TopicConfig.CLEANUP_POLICY_CONFIG,
                        TopicConfig.CLEANUP_POLICY_COMPACT,
                        TopicConfig.SEGMENT_BYTES_CONFIG,
                        Integer.toString(16 << 20),
                        TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG,
                        "0.1"));
        admin.createTopics(List.of(topic)).all().get();
    }

    /** The last committed record of this partition and generation. */
    Optional<Progress> last(int partition, long generation) throws SinkUnavailableException {
        try (var reader = reader()) {
            TopicPartition place = new TopicPartition(name, partition);
            reader.assign(List.of(place));
            long begin = beginning(reader, place);
            long end = end(reader, place);
            for (long back = FIRST_LOOK; ; back *= 4) {
                long from = Math.max(begin, end - back);
                Progress found = read(reader, place, from, end).get(generation);
                if (found != null || from == begin) {
                    return Optional.ofNullable(found);
                }
            }
        } catch (KafkaException failed) {
            throw unavailable(failed);
        }
    }

    /** The last committed record of each partition and generation before this one. */
    List<Progress> before(long generation, int partitions) throws SinkUnavailableException {
        try (var reader = reader()) {
            return IntStream.range(0, partitions)
                    .mapToObj(partition -> new TopicPartition(name, partition))
                    .flatMap(place -> {
                        reader.assign(List.of(place));
                        return read(reader, place, beginning(reader, place), end(reader, place)).values().stream();
                    })
                    .filter(progress -> progress.token().generation() < generation)
                    .toList();
        } catch (KafkaException failed) {
            throw unavailable(failed);
        }
    }

    private KafkaConsumer<byte[], byte[]> reader() {
        return new KafkaConsumer<>(
                properties.committedReader(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static long beginning(KafkaConsumer<byte[], byte[]> reader, TopicPartition place) {
        return reader.beginningOffsets(List.of(place)).getOrDefault(place, 0L);
    }

    private static long end(KafkaConsumer<byte[], byte[]> reader, TopicPartition place) {
        return reader.endOffsets(List.of(place)).getOrDefault(place, 0L);
    }

    /** By generation. */
    private static Map<Long, Progress> read(
            KafkaConsumer<byte[], byte[]> reader, TopicPartition place, long from, long to) {
        Map<Long, Progress> last = new TreeMap<>();
        reader.seek(place, from);
        long start = System.nanoTime();
        while (reader.position(place) < to) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new KafkaException("the progress topic could not be read to its end within " + PATIENCE);
            }
            for (ConsumerRecord<byte[], byte[]> record : reader.poll(POLL)) {
                Progress progress = Progress.of(record.value());
                last.put(progress.token().generation(), progress);
            }
        }
        return last;
    }

    private SinkUnavailableException unavailable(Exception failed) {
        return new SinkUnavailableException(
                "The progress topic " + name + " cannot be used: " + KafkaFailure.reason(failed), false, failed);
    }
}
