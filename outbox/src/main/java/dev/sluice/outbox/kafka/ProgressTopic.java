package dev.sluice.outbox.kafka;

import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.SinkUnavailableException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
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
    private final Sink.Opening opening;
    private final String name;

    /** What is remembered of a partition. */
    record Of(int partition, Progress progress) {}

    ProgressTopic(ClientProperties properties, Sink.Opening opening) {
        this.properties = properties;
        this.opening = opening;
        this.name = opening.outbox() + "-outbox-progress";
    }

    String name() {
        return name;
    }

    ProducerRecord<byte[], byte[]> record(long batch, List<Long> ids) {
        byte[] generation = Long.toString(opening.token().generation()).getBytes(StandardCharsets.UTF_8);
        Progress progress = new Progress(opening.identity(), opening.token(), OptionalLong.of(batch), ids);
        return new ProducerRecord<>(name, opening.partition(), generation, progress.toBytes());
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
    Optional<Progress> last(Admin admin) throws SinkUnavailableException, InterruptedException {
        try (var reader = reader()) {
            TopicPartition place = new TopicPartition(name, opening.partition());
            reader.assign(List.of(place));
            long written = written(admin, place);
            long begin = beginning(reader, place);
            long end = end(reader, place);
            if (end < written) {
                throw unavailable(
                        new KafkaException("a transaction of an older sender is still open, and hides what was"
                                + " committed after it began: it ends by itself within transaction.timeout.ms"));
            }
            for (long back = FIRST_LOOK; ; back *= 4) {
                long from = Math.max(begin, end - back);
                Progress found =
                        read(reader, place, from, end).get(opening.token().generation());
                if (found != null || from == begin) {
                    return Optional.ofNullable(found);
                }
            }
        } catch (KafkaException failed) {
            throw unavailable(failed);
        }
    }

    /** Behind the last record, whether its transaction is committed or not. */
    private long written(Admin admin, TopicPartition place) throws SinkUnavailableException, InterruptedException {
        try {
            return admin.listOffsets(Map.of(place, OffsetSpec.latest()))
                    .partitionResult(place)
                    .get()
                    .offset();
        } catch (ExecutionException failed) {
            throw unavailable(KafkaFailure.cause(failed));
        }
    }

    /**
     * The last committed record of each partition and generation before this one. All of them were committed before any
     * sender of this generation began: whatever transaction is open now hides none.
     */
    List<Of> before(int partitions) throws SinkUnavailableException {
        List<Of> before = new ArrayList<>();
        try (var reader = reader()) {
            for (int k = 0; k < partitions; k++) {
                int partition = k;
                TopicPartition place = new TopicPartition(name, partition);
                reader.assign(List.of(place));
                read(reader, place, beginning(reader, place), end(reader, place)).values().stream()
                        .filter(each ->
                                each.token().generation() < opening.token().generation())
                        .forEach(each -> before.add(new Of(partition, each)));
            }
            return before;
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
    private Map<Long, Progress> read(KafkaConsumer<byte[], byte[]> reader, TopicPartition place, long from, long to)
            throws SinkUnavailableException {
        Map<Long, Progress> last = new TreeMap<>();
        reader.seek(place, from);
        long start = System.nanoTime();
        while (reader.position(place) < to) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new KafkaException("the progress topic could not be read to its end within " + PATIENCE);
            }
            for (ConsumerRecord<byte[], byte[]> record : reader.poll(POLL)) {
                Progress progress = Progress.of(record.value());
                requireOurs(progress, place.partition());
                last.put(progress.token().generation(), progress);
            }
        }
        return last;
    }

    /** By another's memory, or by one from our future, rows would be deleted that were never sent. */
    private void requireOurs(Progress found, int partition) throws SinkUnavailableException {
        if (!found.outbox().equals(opening.identity())) {
            throw new SinkUnavailableException(
                    "Topic " + name + " is the memory of outbox " + found.outbox() + ", and these tables are outbox "
                            + opening.identity()
                            + ": nothing is sent and nothing deleted. If another database has an outbox of"
                            + " the same name, give this one another name and empty its table outbox_partitions while no"
                            + " relay runs; if that database is gone, or these tables were dropped and made anew,"
                            + " delete the topic while no relay runs.",
                    false,
                    null);
        }
        boolean newer = partition == opening.partition()
                ? opening.token().isOlderThan(found.token())
                : opening.token().generation() < found.token().generation();
        if (newer) {
            throw new SinkUnavailableException(
                    "Topic " + name + " tells of a sender " + found.token() + " of partition " + partition
                            + ", and this one is "
                            + opening.token()
                            + ", older: another relay has taken the partition, and this one sends and deletes nothing."
                            + " If there is no other, the database was restored from a backup: delete the topic while no"
                            + " relay runs, then change the number of partitions, which begins anew; rows sent since the"
                            + " backup come twice.",
                    false,
                    null);
        }
    }

    private SinkUnavailableException unavailable(Exception failed) {
        return new SinkUnavailableException(
                "The progress topic " + name + " cannot be used: " + KafkaFailure.reason(failed), false, failed);
    }
}
