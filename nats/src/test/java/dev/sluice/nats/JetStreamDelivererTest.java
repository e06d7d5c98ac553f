package dev.sluice.nats;

import static dev.sluice.testkit.contract.SampleDeliveries.allKinds;
import static dev.sluice.testkit.contract.SampleDeliveries.batch;
import static dev.sluice.testkit.contract.SampleDeliveries.delivery;
import static dev.sluice.testkit.contract.SampleDeliveries.introductions;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.DeliveryBody;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Introductions;
import dev.sluice.deliver.Protocol;
import dev.sluice.testkit.contract.DelivererContract;
import dev.sluice.testkit.contract.Received;
import dev.sluice.testkit.contract.TestGateway;
import dev.sluice.testkit.servers.NatsServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract over JetStream's acknowledgements. */
@Execution(ExecutionMode.SAME_THREAD)
class JetStreamDelivererTest extends DelivererContract {
    /** At least so many bytes the headers of a message have. */
    private static final int HEADERS = 30;

    @Override
    protected TestGateway newGateway() throws Exception {
        return new StreamTestGateway(NatsServer.shared());
    }

    @Override
    protected Deliverer newDeliverer(GatewayAddress gateway, Duration timeout) {
        return new NatsDeliverer(gateway, NatsDelivery.of(NatsDelivery.Mode.JETSTREAM, timeout));
    }

    @Override
    protected List<GatewayAddress> nonsense() {
        return List.of(new GatewayAddress("a.b", Protocol.NATS, "nats://127.0.0.1:4222"));
    }

    /** A server takes messages up to its {@code max_payload}: an event above it never arrives, the others do. */
    @Override
    @Test
    protected void aDocumentOf16MegabytesArrives() throws Exception {
        TestGateway gateway = gateway();
        DeliveryBatch batch = new DeliveryBatch(
                gateway.address().id(),
                List.of(delivery(1), delivery(2, "huge", 16 << 20), delivery(3, "large", 1_000_000)));
        assertThat(outcome(to(gateway, PATIENT), batch))
                .isInstanceOfSatisfying(
                        BatchOutcome.PerEvent.class,
                        some -> assertThat(some.outcomes())
                                .hasExactlyElementsOfTypes(
                                        EventOutcome.Delivered.class,
                                        EventOutcome.Rejected.class,
                                        EventOutcome.Delivered.class));
        assertThat(gateway.received()).extracting(Received::seq).containsExactly(1L, 3L);
    }

    @Test
    void anAttemptWithoutAnAnswerAndItsRetryAreStoredOnce() throws Exception {
        TestGateway gateway = gateway();
        Deliverer deliverer = to(gateway, SHORT);
        deliverAtLast(deliverer, batch(gateway, 1, 2));
        gateway.hang();
        assertThat(outcome(deliverer, batch(gateway, 2, 5))).isInstanceOf(BatchOutcome.RetryLater.class);
        gateway.goOn();
        deliverAtLast(deliverer, batch(gateway, 2, 5));
        assertThat(gateway.received()).extracting(Received::seq).containsExactly(1L, 2L, 3L, 4L);
    }

    /** Row 27. Whoever reads a message finds with it what its own event needs. */
    @Test
    void eachMessageTellsWhatConcernsItsEvent() throws Exception {
        StreamTestGateway gateway = opened(new StreamTestGateway(NatsServer.shared()));
        DeliveryBatch batch = batch(gateway, 1, 5);
        Introductions all = introductions();
        assertThat(outcome(to(gateway, PATIENT), new DeliveryBatch(batch.gatewayId(), batch.deliveries(), all)))
                .isEqualTo(BatchOutcome.DELIVERED);
        assertThat(gateway.told())
                .containsExactly(
                        new Introductions(List.of(all.subscriptions().get(0)), List.of()),
                        new Introductions(List.of(all.subscriptions().get(1)), List.of()),
                        new Introductions(List.of(), List.of("sub-3")),
                        Introductions.NONE);
    }

    /** A lane gives a new number to what is left over of a batch. */
    @Test
    void aRetryUnderANewNumberIsStoredOnce() throws Exception {
        TestGateway gateway = gateway();
        Deliverer deliverer = to(gateway, PATIENT);
        deliverAtLast(deliverer, batch(gateway, 1, 3));
        List<Delivery> again = Stream.of(delivery(1), delivery(2), delivery(3))
                .map(one -> numbered(one, one.seq() + 10))
                .toList();
        deliverAtLast(deliverer, new DeliveryBatch(gateway.address().id(), again));
        assertThat(gateway.received()).extracting(Received::seq).containsExactly(1L, 2L, 13L);
    }

    /** Row 20 of issue 12: within the stream's window for duplicates, it would be dropped. */
    @Test
    void whatASubscriptionAsksForAgainByRegisteringAnewIsStoredAgain() throws Exception {
        TestGateway gateway = gateway();
        Deliverer deliverer = to(gateway, PATIENT);
        for (long start : new long[] {0, 1, 1, 2}) {
            deliverAtLast(deliverer, new DeliveryBatch(gateway.address().id(), List.of(starting(delivery(1), start))));
        }
        assertThat(gateway.received()).extracting(Received::seq).containsExactly(1L, 1L, 1L);
    }

    private static Delivery starting(Delivery one, long start) {
        return new Delivery(
                one.subscriptionId(),
                one.type(),
                one.event(),
                one.seq(),
                one.partition(),
                one.token(),
                one.redelivery(),
                one.progress(),
                one.standsFor(),
                new Delivery.Scope("", "orders", start));
    }

    /** Not to be told to read everything again would be worse than to be told twice. */
    @Test
    void whatTellsToReadEverythingAgainIsStoredEachTime() throws Exception {
        TestGateway gateway = gateway();
        Deliverer deliverer = to(gateway, PATIENT);
        Delivery resync = allKinds().getLast();
        for (int seq = 1; seq <= 2; seq++) {
            deliverAtLast(deliverer, new DeliveryBatch(gateway.address().id(), List.of(numbered(resync, seq))));
        }
        assertThat(gateway.received()).extracting(Received::type).containsExactly("resync", "resync");
    }

    /** Headers are ASCII. */
    @Test
    void subscriptionsOfAllAlphabetsGetTheirOwn() throws Exception {
        TestGateway gateway = gateway();
        List<Delivery> forAll = Stream.of("plain", "ä", "ö", "%C3%A4", "a b", " a", "a\nb", "😀")
                .map(subscription -> to(subscription, delivery(1)))
                .toList();
        assertThat(outcome(
                        to(gateway, PATIENT),
                        new DeliveryBatch(gateway.address().id(), forAll)))
                .isEqualTo(BatchOutcome.DELIVERED);
        assertThat(gateway.received()).containsExactlyInAnyOrderElementsOf(expected(forAll));
    }

    /** Whatever its size: a server that counts in another way than we do would be asked for ever. */
    @Test
    void closeToTheLimitAMessageIsStoredOrRejected() throws Exception {
        TestGateway gateway = gateway();
        Deliverer deliverer = to(gateway, PATIENT);
        int most = (1 << 20) - bytesAround(delivery(1, "a", 1));
        for (int above : new int[] {0, 1, 100}) {
            Delivery large = delivery(1, "a", most + above - HEADERS);
            assertThat(outcome(deliverer, new DeliveryBatch(gateway.address().id(), List.of(large))))
                    .as(above + " too many")
                    .isInstanceOfSatisfying(
                            BatchOutcome.PerEvent.class,
                            no -> assertThat(no.outcomes().getFirst())
                                    .isInstanceOfSatisfying(
                                            EventOutcome.Rejected.class,
                                            why -> assertThat(why.reason()).contains("max_payload")));
        }
        Delivery fits = delivery(2, "b", most - 400);
        assertThat(outcome(deliverer, new DeliveryBatch(gateway.address().id(), List.of(fits))))
                .isEqualTo(BatchOutcome.DELIVERED);
    }

    private static int bytesAround(Delivery one) {
        return (int) DeliveryBody.unanswered(new DeliveryBatch("gw", List.of(one)))
                        .length()
                - 1;
    }

    private static Delivery numbered(Delivery one, long seq) {
        return new Delivery(
                one.subscriptionId(),
                one.type(),
                one.event(),
                seq,
                one.partition(),
                one.token(),
                true,
                one.progress(),
                one.standsFor());
    }

    private static Delivery to(String subscription, Delivery one) {
        return new Delivery(
                subscription,
                one.type(),
                one.event(),
                one.seq(),
                one.partition(),
                one.token(),
                one.redelivery(),
                one.progress(),
                one.standsFor());
    }
}
