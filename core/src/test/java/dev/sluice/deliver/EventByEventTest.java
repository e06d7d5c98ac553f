package dev.sluice.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class EventByEventTest {
    private static final EventOutcome LATER = new EventOutcome.RetryLater("away");
    private static final EventOutcome NEVER = new EventOutcome.Rejected("no");

    private final List<Long> sent = new ArrayList<>();

    private BatchOutcome run(Map<Long, EventOutcome> answers, Delivery... deliveries) {
        return EventByEvent.run(new DeliveryBatch("gw", List.of(deliveries)), delivery -> {
            sent.add(delivery.seq());
            return CompletableFuture.completedFuture(answers.getOrDefault(delivery.seq(), EventOutcome.DELIVERED));
        });
    }

    @Test
    void allThatArrivesIsDelivered() {
        assertThat(run(Map.of(), Deliveries.of(1, "s", "a"), Deliveries.of(2, "s", "a"), Deliveries.of(3, "s", "b")))
                .isEqualTo(BatchOutcome.DELIVERED);
        assertThat(sent).containsExactly(1L, 3L, 2L);
    }

    @Test
    void nothingIsSentBehindAFailedEventOfTheSameSubscriptionAndDocument() {
        BatchOutcome outcome = run(
                Map.of(2L, LATER),
                Deliveries.of(1, "s", "a"),
                Deliveries.of(2, "s", "a"),
                Deliveries.of(3, "s", "a"),
                Deliveries.of(4, "t", "a"),
                Deliveries.of(5, "s", "b"));
        assertThat(sent).containsExactlyInAnyOrder(1L, 2L, 4L, 5L);
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        BatchOutcome.PerEvent.class,
                        some -> assertThat(some.outcomes())
                                .hasExactlyElementsOfTypes(
                                        EventOutcome.Delivered.class,
                                        EventOutcome.RetryLater.class,
                                        EventOutcome.RetryLater.class,
                                        EventOutcome.Delivered.class,
                                        EventOutcome.Delivered.class));
    }

    /** Row 20 of issue 12: a drop that overtakes changes before it would be taken for older than they are. */
    @Test
    void aControlEventWaitsForAllBeforeItAndAllBehindItWaitForIt() {
        assertThat(run(
                        Map.of(),
                        Deliveries.of(1, "s", "a"),
                        Deliveries.of(2, "s", "a"),
                        Deliveries.drop(3, "s"),
                        Deliveries.of(4, "s", "b"),
                        Deliveries.of(5, "t", "a"),
                        Deliveries.drop(6, "s")))
                .isEqualTo(BatchOutcome.DELIVERED);
        assertThat(sent).containsExactly(1L, 5L, 2L, 3L, 4L, 6L);
    }

    @Test
    void aControlEventIsNotSentBehindAFailedEventOfItsSubscriptionAndNothingIsSentBehindIt() {
        run(
                Map.of(1L, LATER),
                Deliveries.of(1, "s", "a"),
                Deliveries.of(2, "s", "b"),
                Deliveries.drop(3, "s"),
                Deliveries.of(4, "s", "b"),
                Deliveries.drop(5, "t"));
        assertThat(sent).containsExactly(1L, 2L, 5L);
        sent.clear();
        run(Map.of(1L, LATER), Deliveries.drop(1, "s"), Deliveries.of(2, "s", "b"), Deliveries.of(3, "t", "b"));
        assertThat(sent).containsExactly(1L, 3L);
    }

    @Test
    void aRejectedEventDoesNotHoldUpTheNext() {
        BatchOutcome outcome = run(Map.of(1L, NEVER), Deliveries.of(1, "s", "a"), Deliveries.of(2, "s", "a"));
        assertThat(outcome).isEqualTo(new BatchOutcome.PerEvent(List.of(NEVER, EventOutcome.DELIVERED)));
    }

    @Test
    void whenNothingArrivesItIsTheReceiver() {
        assertThat(run(Map.of(1L, LATER, 3L, LATER), Deliveries.of(1, "s", "a"), Deliveries.of(3, "s", "b")))
                .isEqualTo(new BatchOutcome.RetryLater("away"));
    }

    @Test
    void theNextOfADocumentWaitsForTheEndOfTheOneBefore() throws Exception {
        CompletableFuture<EventOutcome> first = new CompletableFuture<>();
        CompletableFuture<Long> second = new CompletableFuture<>();
        DeliveryBatch batch = new DeliveryBatch("gw", List.of(Deliveries.of(1, "s", "a"), Deliveries.of(2, "s", "a")));
        CompletableFuture<BatchOutcome> all = CompletableFuture.supplyAsync(() -> EventByEvent.run(batch, delivery -> {
            if (delivery.seq() == 1) {
                return first;
            }
            second.complete(delivery.seq());
            return CompletableFuture.completedFuture(EventOutcome.DELIVERED);
        }));
        assertThat(second.completeOnTimeout(0L, 100, TimeUnit.MILLISECONDS).get())
                .as("nothing yet")
                .isZero();
        first.complete(EventOutcome.DELIVERED);
        assertThat(all.get()).isEqualTo(BatchOutcome.DELIVERED);
    }
}
