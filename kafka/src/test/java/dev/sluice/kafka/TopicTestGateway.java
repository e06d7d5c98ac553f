package dev.sluice.kafka;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.model.FencingToken;
import dev.sluice.testkit.contract.Received;
import dev.sluice.testkit.contract.TestGateway;
import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.servers.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A topic of one partition on a real broker that can be frozen, behind a network that can be cut. */
final class TopicTestGateway implements TestGateway {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String topic = "changes.test-" + COUNT.incrementAndGet() + ".orders";
    private final KafkaServer broker;
    private final FaultProxy network;

    TopicTestGateway(KafkaServer broker, FaultProxy network) throws ExecutionException, InterruptedException {
        this.broker = broker;
        this.network = network;
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.url()))) {
            NewTopic anew = new NewTopic(topic, 1, (short) 1).configs(Map.of("max.message.bytes", "40000000"));
            admin.createTopics(List.of(anew)).all().get();
        }
    }

    @Override
    public GatewayAddress address() {
        return new GatewayAddress(
                "gw-kafka", Protocol.KAFKA, broker.url() + "/" + topic.replace("orders", "{collection}"));
    }

    @Override
    public List<Received> received() {
        return records().stream().map(TopicTestGateway::received).toList();
    }

    List<ConsumerRecord<byte[], byte[]>> records() {
        TopicPartition only = new TopicPartition(topic, 0);
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.url(), "max.partition.fetch.bytes", 40_000_000),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(List.of(only));
            consumer.seekToBeginning(List.of(only));
            long end = consumer.endOffsets(List.of(only)).get(only);
            while (consumer.position(only) < end) {
                consumer.poll(Duration.ofSeconds(1)).forEach(all::add);
            }
        }
        return all;
    }

    private static Received received(ConsumerRecord<byte[], byte[]> record) {
        String[] token = header(record, "token").split("\\.");
        return Received.event(
                Received.document(record.value()),
                header(record, "subscription-id"),
                Long.parseLong(header(record, "seq")),
                Integer.parseInt(header(record, "partition")),
                new FencingToken(Long.parseLong(token[0]), Long.parseLong(token[1])),
                Boolean.parseBoolean(header(record, "redelivery")),
                "",
                record.headers().lastHeader("representative") != null);
    }

    static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    @Override
    public void vanish() {
        network.cut();
    }

    @Override
    public void comeBack() {
        network.heal();
    }

    @Override
    public void hang() {
        broker.pause();
    }

    @Override
    public void goOn() {
        broker.resume();
    }

    @Override
    public void close() {
        network.heal();
    }
}
