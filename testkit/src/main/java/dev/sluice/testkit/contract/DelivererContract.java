package dev.sluice.testkit.contract;

import static dev.sluice.testkit.contract.SampleDeliveries.allKinds;
import static dev.sluice.testkit.contract.SampleDeliveries.batch;
import static dev.sluice.testkit.contract.SampleDeliveries.delivery;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every {@link Deliverer} promises, over its real protocol. */
@Timeout(60)
public abstract class DelivererContract {
    /** Long: only a failing test waits for it. */
    protected static final Duration PATIENT = Duration.ofSeconds(20);

    /** Of attempts that end by it. */
    protected static final Duration SHORT = Duration.ofMillis(800);

    private static final int HUGE = 16 << 20;
    private final List<AutoCloseable> open = new ArrayList<>();

    /** A gateway that is there and takes everything. */
    protected abstract TestGateway newGateway() throws Exception;

    protected abstract Deliverer newDeliverer(GatewayAddress gateway, Duration timeout) throws Exception;

    /** Endpoints that can never be right. */
    protected abstract List<GatewayAddress> nonsense();

    /** How an event looks to the gateway, where the protocol leaves something out. */
    protected Received seen(Received received) {
        return received;
    }

    protected final <T extends AutoCloseable> T opened(T closedAtTheEnd) {
        open.add(closedAtTheEnd);
        return closedAtTheEnd;
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    protected final TestGateway gateway() throws Exception {
        return opened(newGateway());
    }

    protected final Deliverer to(TestGateway gateway, Duration timeout) throws Exception {
        return opened(newDeliverer(gateway.address(), timeout));
    }

    protected static BatchOutcome outcome(Deliverer deliverer, DeliveryBatch batch)
            throws InterruptedException, ExecutionException, TimeoutException {
        return deliver(deliverer, batch).get(PATIENT.toSeconds(), TimeUnit.SECONDS);
    }

    protected static CompletableFuture<BatchOutcome> deliver(Deliverer deliverer, DeliveryBatch batch) {
        return deliverer.deliver(batch).toCompletableFuture();
    }

    /** Nothing that this contract does to a gateway is a reason to give an event up. */
    protected static void assertTriedLater(BatchOutcome outcome) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        BatchOutcome.RetryLater.class,
                        later -> assertThat(later.eventMayBeToBlame())
                                .as(later.reason())
                                .isFalse());
    }

    /** Until it arrives: a protocol may need an attempt or two to find out that a gateway is back. */
    protected static void deliverAtLast(Deliverer deliverer, DeliveryBatch batch) throws Exception {
        long deadline = System.nanoTime() + PATIENT.toNanos();
        BatchOutcome last = outcome(deliverer, batch);
        while (!last.equals(BatchOutcome.DELIVERED) && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(50); // As a lane would, shorter.
            last = outcome(deliverer, batch);
        }
        assertThat(last).isEqualTo(BatchOutcome.DELIVERED);
    }

    protected final List<Received> expected(List<Delivery> sent) {
        return sent.stream().map(Received::expected).map(this::seen).toList();
    }

    @Test
    protected void everythingAboutAnEventArrives() throws Exception {
        TestGateway gateway = gateway();
        assertThat(outcome(
                        to(gateway, PATIENT),
                        new DeliveryBatch(gateway.address().id(), allKinds())))
                .isEqualTo(BatchOutcome.DELIVERED);
        assertThat(gateway.received()).isEqualTo(expected(allKinds()));
    }

    @Test
    protected void aBatchArrivesInOrderAndOnce() throws Exception {
        TestGateway gateway = gateway();
        DeliveryBatch batch = batch(gateway, 1, 101);
        assertThat(outcome(to(gateway, PATIENT), batch)).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(gateway.received()).isEqualTo(expected(batch.deliveries()));
    }

    @Test
    protected void aProbeFindsTheGatewayAndLeavesNothing() throws Exception {
        TestGateway gateway = gateway();
        assertThat(outcome(to(gateway, PATIENT), batch(gateway, 0, 0))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(gateway.received()).isEmpty();
    }

    @Test
    protected void aDocumentOf16MegabytesArrives() throws Exception {
        TestGateway gateway = gateway();
        Delivery huge = delivery(1, "huge", HUGE);
        assertThat(outcome(
                        to(gateway, PATIENT),
                        new DeliveryBatch(gateway.address().id(), List.of(huge))))
                .isEqualTo(BatchOutcome.DELIVERED);
        assertThat(gateway.received()).isEqualTo(expected(List.of(huge)));
    }

    @Test
    protected void manyBatchesAtOnceEachArriveWhole() throws Exception {
        TestGateway gateway = gateway();
        Deliverer deliverer = to(gateway, PATIENT);
        List<CompletableFuture<BatchOutcome>> outcomes = new ArrayList<>();
        for (int k = 0; k < 50; k++) {
            outcomes.add(deliver(deliverer, batch(gateway, k * 10, k * 10 + 10)));
        }
        for (CompletableFuture<BatchOutcome> outcome : outcomes) {
            assertThat(outcome.get(PATIENT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(BatchOutcome.DELIVERED);
        }
        assertThat(gateway.received())
                .containsExactlyInAnyOrderElementsOf(
                        expected(batch(gateway, 0, 500).deliveries()));
    }

    @Test
    protected void aGatewayThatIsGoneIsTriedLaterAndFoundAgain() throws Exception {
        TestGateway gateway = gateway();
        Deliverer deliverer = to(gateway, SHORT);
        deliverAtLast(deliverer, batch(gateway, 1, 2));
        gateway.vanish();
        assertTriedLater(outcome(deliverer, batch(gateway, 2, 3)));
        assertTriedLater(outcome(deliverer, batch(gateway, 0, 0)));
        gateway.comeBack();
        deliverAtLast(deliverer, batch(gateway, 3, 4));
        assertThat(gateway.received()).extracting(Received::seq).startsWith(1L).endsWith(3L);
    }

    @Test
    protected void aGatewayThatWasNeverThereIsTriedLater() throws Exception {
        TestGateway gateway = gateway();
        gateway.vanish();
        Deliverer deliverer = to(gateway, SHORT);
        assertTriedLater(outcome(deliverer, batch(gateway, 1, 2)));
        gateway.comeBack();
        deliverAtLast(deliverer, batch(gateway, 1, 2));
    }

    @Test
    protected void silenceEndsWithTheTimeoutAndIsForgotten() throws Exception {
        TestGateway gateway = gateway();
        Deliverer deliverer = to(gateway, SHORT);
        deliverAtLast(deliverer, batch(gateway, 1, 2));
        gateway.hang();
        long began = System.nanoTime();
        assertTriedLater(outcome(deliverer, batch(gateway, 2, 3)));
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(PATIENT);
        gateway.goOn();
        deliverAtLast(deliverer, batch(gateway, 3, 4));
    }

    @Test
    protected void closingEndsWhatIsUnderWay() throws Exception {
        TestGateway gateway = gateway();
        Deliverer deliverer = to(gateway, PATIENT);
        deliverAtLast(deliverer, batch(gateway, 1, 2));
        gateway.hang();
        CompletableFuture<BatchOutcome> underWay = deliver(deliverer, batch(gateway, 2, 3));
        deliverer.close();
        assertTriedLater(underWay.get(PATIENT.toSeconds() / 2, TimeUnit.SECONDS));
        assertTriedLater(outcome(deliverer, batch(gateway, 3, 4)));
        deliverer.close();
        gateway.goOn();
    }

    @Test
    protected void anEndpointThatCanNeverBeRightIsRefusedBeforehand() {
        for (GatewayAddress address : nonsense()) {
            assertThatThrownBy(() -> newDeliverer(address, PATIENT).close())
                    .as(address.toString())
                    .isInstanceOf(InvalidInputException.class);
        }
    }
}
