package dev.sluice.outbox.kafka;

import dev.sluice.testkit.servers.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A new topic on a real broker, and what stands in it. */
public record TestTopic(KafkaServer broker, String name, int partitions) {
    private static final Duration LEADERS_WITHIN = Duration.ofSeconds(30);
    private static final AtomicInteger MADE = new AtomicInteger();

    public static TestTopic create(KafkaServer broker, int partitions, Map<String, String> configs) {
        String name = "outbox-test-" + ProcessHandle.current().pid() + '-' + MADE.incrementAndGet();
        return create(broker, name, partitions, configs);
    }

    public static TestTopic create(KafkaServer broker, String name, int partitions, Map<String, String> configs) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.url()))) {
            admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1).configs(configs)))
                    .all()
                    .get();
            awaitLeaders(admin, name, partitions);
        } catch (ExecutionException | InterruptedException failed) {
            throw new IllegalStateException(failed);
        }
        return new TestTopic(broker, name, partitions);
    }

    /**
     * Returns when the broker leads every partition. Before that it may not know the topic, and a sink reports rows as blocked;
     * {@code AtLeastOnceSinkTest} shows with {@code UnledKafka} what a sink does with a partition without a leader.
     */
    private static void awaitLeaders(Admin admin, String name, int partitions)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            ends.put(new TopicPartition(name, partition), OffsetSpec.latest());
        }
        long deadline = System.nanoTime() + LEADERS_WITHIN.toNanos();
        while (true) {
            try {
                admin.listOffsets(ends).all().get();
                return;
            } catch (ExecutionException notYet) {
                boolean unknown = notYet.getCause() instanceof UnknownTopicOrPartitionException;
                if (!unknown || System.nanoTime() - deadline > 0) {
                    throw notYet;
                }
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            }
        }
    }

    public static TestTopic create(int partitions) {
        return create(KafkaServer.shared(), partitions, Map.of());
    }

    public Map<String, Object> producer() {
        return Map.of("bootstrap.servers", broker.url());
    }

    /** Everything committed, partition by partition. */
    public List<ConsumerRecord<byte[], byte[]>> records() {
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(name, partition))
                .toList();
        List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                new HashMap<String, Object>(
                        Map.of("bootstrap.servers", broker.url(), "isolation.level", "read_committed")),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            while (all.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
                consumer.poll(Duration.ofMillis(200)).forEach(read::add);
            }
        }
        return read;
    }

    public static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    public static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        var header = record.headers().lastHeader(name);
        return header == null ? "" : text(header.value());
    }
}
