package dev.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.EventType;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.deliver.Protocol;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Operation;
import dev.sluice.testkit.servers.KafkaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which topics and partitions an event reaches, on a real broker. */
@Timeout(60)
class KafkaTopicsTest {
    /** An eighth of it is what the first lookup waits for a missing topic. */
    private static final Duration TIMEOUT = Duration.ofSeconds(8);

    private static final Duration PATIENT = Duration.ofSeconds(24);

    private static KafkaServer broker;
    private static Admin admin;

    @BeforeAll
    static void connect() {
        broker = KafkaServer.shared();
        admin = Admin.create(Map.of("bootstrap.servers", broker.url()));
    }

    @AfterAll
    static void disconnect() {
        admin.close();
    }

    /** Row 14 of issue 12: the producer blocked for it, and nothing else of the batch was sent, however often it came. */
    @Test
    void aMissingTopicCostsTheEventsOfOthersNothing() throws Exception {
        create("row14.here.orders", 1);
        // Kafka creates no topic whose name differs from this one only in dots and underscores.
        create("row14_here_missing", 1);
        try (var deliverer = deliverer("row14", TIMEOUT)) {
            Delivery missing = insert(1, "here", "missing", "a");
            List<Delivery> mixed = List.of(
                    missing,
                    insert(2, "here", "orders", "a"),
                    insert(3, "here", "missing", "b"),
                    insert(4, "here", "orders", "b"));
            assertThat(outcome(deliverer, mixed))
                    .isInstanceOfSatisfying(
                            BatchOutcome.PerEvent.class,
                            some -> assertThat(some.outcomes())
                                    .hasExactlyElementsOfTypes(
                                            EventOutcome.RetryLater.class,
                                            EventOutcome.Delivered.class,
                                            EventOutcome.RetryLater.class,
                                            EventOutcome.Delivered.class));
            assertThat(outcome(deliverer, List.of(missing)))
                    .as("Kafka answers: nothing for the breaker to count")
                    .isEqualTo(new BatchOutcome.PerEvent(
                            List.of(new EventOutcome.RetryLater("there is no topic row14.here.missing: create it"))));
            assertThat(records("row14.here.orders", 1)).hasSize(2);

            admin.deleteTopics(List.of("row14_here_missing")).all().get();
            create("row14.here.missing", 1);
            deliverAtLast(deliverer, missing);
            assertThat(records("row14.here.missing", 1)).hasSize(1);
        }
    }

    /** Row 20 of issue 12: it had no key and came to some partition, those who read the others never heard of it. */
    @Test
    void aControlEventReachesEveryPartitionOfItsSubscriptionsTopic() throws Exception {
        create("row20.acme.orders", 3);
        try (var deliverer = deliverer("row20", PATIENT)) {
            Delivery.Scope scope = new Delivery.Scope("acme", "orders", 0);
            assertThat(outcome(
                            deliverer,
                            List.of(
                                    insert(1, "acme", "orders", "a"),
                                    control(2, Operation.DROP, "orders", scope),
                                    control(3, Operation.RESYNC, "", scope))))
                    .isEqualTo(BatchOutcome.DELIVERED);
        }
        List<ConsumerRecord<byte[], byte[]>> records = records("row20.acme.orders", 3);
        for (int partition = 0; partition < 3; partition++) {
            int here = partition;
            assertThat(records.stream()
                            .filter(record -> record.partition() == here)
                            .map(record -> TopicTestGateway.header(record, "type"))
                            .filter(type -> !type.equals("insert")))
                    .as("partition " + partition)
                    .containsExactly("drop", "resync");
        }
        assertThat(records).filteredOn(record -> record.key() != null).hasSize(1);
    }

    /** The events of such a subscription are in the topics of all tenants. */
    @Test
    void aControlEventForAllTenantsReachesTheTopicOfEach() throws Exception {
        create("row20all.acme.orders", 1);
        create("row20all.other.orders", 2);
        create("row20all.acme.customers", 1);
        try (var deliverer = deliverer("row20all", PATIENT)) {
            Delivery.Scope anyTenant = new Delivery.Scope("", "orders", 0);
            assertThat(outcome(deliverer, List.of(control(1, Operation.RESYNC, "", anyTenant))))
                    .isEqualTo(BatchOutcome.DELIVERED);
        }
        assertThat(records("row20all.acme.orders", 1)).hasSize(1);
        assertThat(records("row20all.other.orders", 2)).hasSize(2);
        assertThat(records("row20all.acme.customers", 1)).isEmpty();
    }

    /** Its clients have found the broker: on a machine under load that can take longer than an attempt. */
    private static KafkaDeliverer deliverer(String prefix, Duration timeout) throws Exception {
        create(prefix + ".warm.up", 1);
        KafkaDeliverer deliverer = new KafkaDeliverer(
                new GatewayAddress("gw", Protocol.KAFKA, broker.url() + "/" + prefix + ".{tenant}.{collection}"),
                KafkaDelivery.of(timeout));
        deliverAtLast(deliverer, insert(0, "warm", "up", "a"));
        return deliverer;
    }

    private static void deliverAtLast(KafkaDeliverer deliverer, Delivery delivery) throws Exception {
        while (!outcome(deliverer, List.of(delivery)).equals(BatchOutcome.DELIVERED)) {
            TimeUnit.MILLISECONDS.sleep(50); // As a lane would, shorter.
        }
    }

    /** Where the broker does not say in time which topics it has, nothing was sent: then again. */
    private static BatchOutcome outcome(KafkaDeliverer deliverer, List<Delivery> deliveries) throws Exception {
        while (true) {
            BatchOutcome outcome = deliverer
                    .deliver(new DeliveryBatch("gw", deliveries))
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS);
            if (!(outcome instanceof BatchOutcome.RetryLater)) {
                return outcome;
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static Delivery insert(int n, String tenant, String collection, String document) {
        ChangeEvent event = event(n, Operation.INSERT, tenant, collection, DocumentId.of(new BsonString(document)));
        return delivery(n, EventType.INSERT, event, Delivery.Scope.UNKNOWN);
    }

    private static Delivery control(int n, Operation operation, String collection, Delivery.Scope scope) {
        return delivery(n, EventType.of(operation), event(n, operation, "", collection, DocumentId.NONE), scope);
    }

    private static Delivery delivery(int n, EventType type, ChangeEvent event, Delivery.Scope scope) {
        return new Delivery("s", type, new OutgoingEvent(event), n, 0, new FencingToken(1, 1), false, "", null, scope);
    }

    private static ChangeEvent event(
            int n, Operation operation, String tenant, String collection, DocumentId document) {
        return new ChangeEvent(
                new EventId(ClusterTime.of(9, n), n),
                "main",
                operation,
                tenant,
                collection,
                document,
                null,
                null,
                0,
                OptionalLong.empty(),
                false);
    }

    private static void create(String topic, int partitions) throws Exception {
        Collection<NewTopic> one = List.of(new NewTopic(topic, partitions, (short) 1));
        admin.createTopics(one).all().get();
    }

    private static List<ConsumerRecord<byte[], byte[]>> records(String topic, int partitions) {
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of("bootstrap.servers", broker.url()),
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
}
