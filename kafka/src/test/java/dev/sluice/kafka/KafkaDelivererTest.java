package dev.sluice.kafka;

import static dev.sluice.testkit.contract.SampleDeliveries.batch;
import static dev.sluice.testkit.contract.SampleDeliveries.delivery;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.testkit.contract.DelivererContract;
import dev.sluice.testkit.contract.Received;
import dev.sluice.testkit.contract.TestGateway;
import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.faults.UnledKafka;
import dev.sluice.testkit.servers.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class KafkaDelivererTest extends DelivererContract {
    private static KafkaServer broker;
    private static FaultProxy network;

    @BeforeAll
    static void startBroker() {
        broker = KafkaServer.startBehind(port -> {
            network = FaultProxy.inFrontOf(port);
            return network.port();
        });
    }

    @AfterAll
    static void closeBroker() {
        network.close();
        broker.close();
    }

    @Override
    protected TestGateway newGateway() throws Exception {
        return new TopicTestGateway(broker, network);
    }

    @Override
    protected Deliverer newDeliverer(GatewayAddress gateway, Duration timeout) {
        return new KafkaDeliverer(gateway, KafkaDelivery.of(timeout));
    }

    @Override
    protected List<GatewayAddress> nonsense() {
        return Stream.of(
                        "localhost:9092",
                        "localhost:9092/",
                        "localhost/topic",
                        "/topic",
                        "localhost:9092/a b",
                        "localhost:9092/{database}",
                        "localhost:9092,/topic")
                .map(endpoint -> new GatewayAddress("gw", Protocol.KAFKA, endpoint))
                .toList();
    }

    /** Consumers of a topic have offsets. */
    @Override
    protected Received seen(Received received) {
        return received.withoutProgress();
    }

    /** Two ways not to be there: nobody listens, and the name is unknown. */
    @Override
    @Test
    protected void aGatewayThatWasNeverThereIsTriedLater() throws Exception {
        TestGateway elsewhere = gateway();
        for (String nowhere : List.of("127.0.0.1:1/topic", "no-such-host.invalid:9092/topic")) {
            Deliverer deliverer =
                    opened(newDeliverer(new GatewayAddress("gw", Protocol.KAFKA, nowhere), Duration.ofSeconds(1)));
            assertTriedLater(outcome(deliverer, batch(elsewhere, 1, 2)));
            assertTriedLater(outcome(deliverer, batch(elsewhere, 0, 0)));
        }
    }

    @Test
    void recordsAreKeyedByDocument() throws Exception {
        TopicTestGateway gateway = opened(new TopicTestGateway(broker, network));
        deliverAtLast(to(gateway, PATIENT), batch(gateway, 1, 3));
        assertThat(gateway.records())
                .extracting(record -> new String(record.key(), StandardCharsets.UTF_8))
                .containsExactly("doc-1", "doc-2");
        assertThat(gateway.records().getFirst().headers())
                .extracting(header -> header.key())
                .containsExactly("subscription-id", "event-id", "type", "partition", "seq", "token", "redelivery");
    }

    @Test
    void whatKafkaNeverTakesIsRejectedAloneAndTheRestArrives() throws Exception {
        TestGateway gateway = gateway();
        GatewayAddress large = new GatewayAddress("gw", Protocol.KAFKA, broker.url() + "/too-large.{collection}");
        Deliverer deliverer = opened(newDeliverer(large, PATIENT));
        deliverAtLast(deliverer, batch(gateway, 1, 2)); // The topic is made, with the limits of the broker.
        BatchOutcome outcome = outcome(
                deliverer, new DeliveryBatch("gw", List.of(delivery(2), delivery(3, "large", 2_000_000), delivery(4))));
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        BatchOutcome.PerEvent.class,
                        some -> assertThat(some.outcomes())
                                .hasExactlyElementsOfTypes(
                                        EventOutcome.Delivered.class,
                                        EventOutcome.Rejected.class,
                                        EventOutcome.Delivered.class));
        assertThat(outcome(
                        opened(newDeliverer(
                                new GatewayAddress(
                                        "gw", Protocol.KAFKA, broker.url() + "/" + "x".repeat(245) + ".{collection}"),
                                PATIENT)),
                        batch(gateway, 1, 2)))
                .isEqualTo(new BatchOutcome.PerEvent(List.of(new EventOutcome.Rejected("\"" + "x".repeat(60)
                        + "…\" is no name of a topic: Kafka takes up to 249 letters, digits and . _ -"))));
    }

    @Test
    void whatFollowsAFailedEventOfTheSameDocumentIsNotSentBeforeIt() throws Exception {
        TestGateway gateway = gateway();
        Deliverer deliverer = to(gateway, Duration.ofSeconds(2));
        deliverAtLast(deliverer, batch(gateway, 1, 2));
        List<Delivery> versions = Stream.iterate(7, n -> n + 7)
                .limit(20)
                .map(n -> delivery(n, "same", 0))
                .toList();
        DeliveryBatch batch = new DeliveryBatch(gateway.address().id(), versions);
        gateway.hang();
        assertThat(outcome(deliverer, batch)).isInstanceOf(BatchOutcome.RetryLater.class);
        gateway.goOn();
        deliverAtLast(deliverer, batch);
        List<Long> seqs = gateway.received().stream().skip(1).map(Received::seq).toList();
        assertThat(seqs.stream().distinct())
                .as("first time of each, of " + seqs)
                .isSorted();
        assertThat(seqs).endsWith(versions.stream().map(Delivery::seq).toArray(Long[]::new));
    }

    /** Or a large document on a busy machine would be tried for ever. */
    @Test
    void anEventThatTakesLongToEncodeIsSentAllTheSame() throws Exception {
        TestGateway gateway = gateway();
        Deliverer deliverer = to(gateway, Duration.ofMillis(400));
        deliverAtLast(deliverer, batch(gateway, 1, 2));
        Delivery huge = delivery(2, "huge", 16 << 20);
        assertThat(outcome(deliverer, new DeliveryBatch(gateway.address().id(), List.of(huge))))
                .asString()
                .doesNotContain("no time was left");
    }

    /** KAFKA-15591: with several requests in flight the broker takes the second one, and the first one times out. */
    @Test
    void eventsRefusedByABrokerThatDoesNotLeadYetArriveInTheSameAttempt() throws Exception {
        TopicTestGateway gateway = opened(new TopicTestGateway(broker, network));
        try (UnledKafka unled = UnledKafka.inFrontOf(broker.port())) {
            String endpoint = gateway.address().endpoint().replace(broker.url(), "127.0.0.1:" + unled.port());
            Deliverer deliverer = opened(newDeliverer(new GatewayAddress("gw", Protocol.KAFKA, endpoint), PATIENT));
            unled.refuseNextProduce();
            assertThat(outcome(deliverer, batch(gateway, 1, 200))).isEqualTo(BatchOutcome.DELIVERED);
            assertThat(unled.refused()).isEqualTo(1);
        }
        assertThat(gateway.received()).extracting(Received::seq).hasSize(199).isSorted();
    }
}
