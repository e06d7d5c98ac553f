package dev.sluice.testkit.contract;

import static dev.sluice.testkit.contract.SampleDeliveries.batch;
import static dev.sluice.testkit.contract.SampleDeliveries.introductions;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.EventOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a {@link Deliverer} promises whose gateway says what came of a batch. */
public abstract class AnsweredDelivererContract extends DelivererContract {
    @Override
    protected abstract AnsweringGateway newGateway() throws Exception;

    protected final AnsweringGateway answering() throws Exception {
        return opened(newGateway());
    }

    @Test
    protected void whatTheGatewaySaysIsTheOutcome() throws Exception {
        AnsweringGateway gateway = answering();
        Deliverer deliverer = to(gateway, PATIENT);
        gateway.answer(batch -> new BatchOutcome.Refused("event 3 is not for me"));
        assertThat(outcome(deliverer, batch(gateway, 1, 6)))
                .isInstanceOfSatisfying(
                        BatchOutcome.Refused.class,
                        no -> assertThat(no.reason()).contains("event 3 is not for me"));
        gateway.answer(batch -> new BatchOutcome.Fenced("I know token 3.42"));
        assertThat(outcome(deliverer, batch(gateway, 1, 6)))
                .isInstanceOfSatisfying(
                        BatchOutcome.Fenced.class, no -> assertThat(no.reason()).contains("I know token 3.42"));
        gateway.answer(batch -> new BatchOutcome.RetryLater("busy", Optional.of(Duration.ofSeconds(7))));
        assertThat(outcome(deliverer, batch(gateway, 1, 6)))
                .isInstanceOfSatisfying(BatchOutcome.RetryLater.class, later -> {
                    assertThat(later.reason()).contains("busy");
                    assertThat(later.after()).contains(Duration.ofSeconds(7));
                    assertThat(later.eventMayBeToBlame()).isFalse();
                });
    }

    /** Row 27. */
    @Test
    protected void whatTheGatewayIsToldComesWithTheEventsAndNothingComesWithThoseOfItsOwn() throws Exception {
        AnsweringGateway gateway = answering();
        Deliverer deliverer = to(gateway, PATIENT);
        DeliveryBatch own = batch(gateway, 1, 3);
        assertThat(outcome(deliverer, own)).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(gateway.told()).isEmpty();
        DeliveryBatch ofOthers = new DeliveryBatch(own.gatewayId(), own.deliveries(), introductions());
        assertThat(outcome(deliverer, ofOthers)).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(gateway.told()).containsExactly(introductions());
        assertThat(gateway.received()).hasSize(4);
    }

    @Test
    protected void rejectionsAreOfTheEventsThatWereNamed() throws Exception {
        AnsweringGateway gateway = answering();
        EventOutcome no = new EventOutcome.Rejected("too \"odd\" for me — \\ 😀");
        List<EventOutcome> said = List.of(no, EventOutcome.DELIVERED, EventOutcome.DELIVERED, no);
        gateway.answer(batch -> new BatchOutcome.PerEvent(said));
        assertThat(outcome(to(gateway, PATIENT), batch(gateway, 1, 5))).isEqualTo(new BatchOutcome.PerEvent(said));
    }

    @Test
    protected void someOfABatchIsWantedLaterAndTheOthersHaveArrived() throws Exception {
        AnsweringGateway gateway = answering();
        List<EventOutcome> said = List.of(
                EventOutcome.DELIVERED,
                new EventOutcome.RetryLater("its \"database\" is away"),
                new EventOutcome.Rejected("no"),
                EventOutcome.NOT_HELD,
                new EventOutcome.RetryLater("it throws", true));
        gateway.answer(batch -> new BatchOutcome.PerEvent(said));
        assertThat(outcome(to(gateway, PATIENT), batch(gateway, 1, 6))).isEqualTo(new BatchOutcome.PerEvent(said));
    }

    @Test
    protected void anAnswerNobodyUnderstandsIsTriedLater() throws Exception {
        AnsweringGateway gateway = answering();
        Deliverer deliverer = to(gateway, PATIENT);
        for (int kind = 0; kind < gateway.kindsOfGarbage(); kind++) {
            gateway.answerGarbage(kind);
            assertThat(outcome(deliverer, batch(gateway, 1, 3)))
                    .as("garbage " + kind)
                    .isInstanceOf(BatchOutcome.RetryLater.class);
        }
    }

    @Test
    protected void anAnswerThatComesTooLateIsNobodysAnswer() throws Exception {
        AnsweringGateway gateway = answering();
        Deliverer deliverer = to(gateway, SHORT);
        deliverAtLast(deliverer, batch(gateway, 1, 2));
        CountDownLatch late = new CountDownLatch(1);
        gateway.answer(batch -> {
            await(late);
            return new BatchOutcome.Fenced("too late");
        });
        assertTriedLater(outcome(deliverer, batch(gateway, 2, 3)));
        gateway.answer(batch -> BatchOutcome.DELIVERED);
        CompletableFuture<BatchOutcome> next = deliver(deliverer, batch(gateway, 3, 4));
        late.countDown();
        assertThat(next.get(PATIENT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(BatchOutcome.DELIVERED);
    }

    /** The lane paces attempts; a pause of the protocol's own, which grows while the gateway is away, would add to it. */
    @Test
    protected void howeverLongItWasGoneTheNextAttemptFindsIt() throws Exception {
        AnsweringGateway gateway = answering();
        Deliverer deliverer = to(gateway, PATIENT);
        gateway.vanish();
        for (int k = 0; k < 8; k++) {
            assertTriedLater(outcome(deliverer, batch(gateway, 1, 2)));
        }
        gateway.comeBack();
        // The first ones may still meet a connection that was being refused when the gateway came back, on a busy
        // machine more
        // of them. After so many failures a pause of the protocol's own would be longer than this.
        long end = System.nanoTime() + 2_000_000_000L;
        BatchOutcome outcome = outcome(deliverer, batch(gateway, 1, 2));
        while (!outcome.equals(BatchOutcome.DELIVERED) && System.nanoTime() - end < 0) {
            outcome = outcome(deliverer, batch(gateway, 1, 2));
        }
        assertThat(outcome).isEqualTo(BatchOutcome.DELIVERED);
    }

    @Test
    protected void aSlowBatchDoesNotHoldUpTheOthers() throws Exception {
        AnsweringGateway gateway = answering();
        Deliverer deliverer = to(gateway, PATIENT);
        CountDownLatch goOn = new CountDownLatch(1);
        gateway.answer(batch -> {
            if (batch.getFirst().seq() == 1) {
                await(goOn);
            }
            return BatchOutcome.DELIVERED;
        });
        CompletableFuture<BatchOutcome> slow = deliver(deliverer, batch(gateway, 1, 2));
        assertThat(outcome(deliverer, batch(gateway, 2, 3))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(slow).isNotDone();
        goOn.countDown();
        assertThat(slow.get(PATIENT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(BatchOutcome.DELIVERED);
    }

    @Test
    protected void everyBatchGetsItsOwnAnswer() throws Exception {
        AnsweringGateway gateway = answering();
        Deliverer deliverer = to(gateway, PATIENT);
        gateway.answer(AnsweredDelivererContract::rejectFirst);
        List<CompletableFuture<BatchOutcome>> outcomes = new ArrayList<>();
        for (int k = 1; k <= 40; k++) {
            outcomes.add(deliver(deliverer, batch(gateway, k, k + 2)));
        }
        for (int k = 1; k <= 40; k++) {
            assertThat(outcomes.get(k - 1).get(PATIENT.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(new BatchOutcome.PerEvent(
                            List.of(new EventOutcome.Rejected("seq " + k), EventOutcome.DELIVERED)));
        }
    }

    private static BatchOutcome rejectFirst(List<Received> batch) {
        return new BatchOutcome.PerEvent(
                List.of(new EventOutcome.Rejected("seq " + batch.getFirst().seq()), EventOutcome.DELIVERED));
    }

    protected static void await(CountDownLatch latch) {
        try {
            if (!latch.await(PATIENT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody let it go on");
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}
