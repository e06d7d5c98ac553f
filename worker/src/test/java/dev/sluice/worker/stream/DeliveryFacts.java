package dev.sluice.worker.stream;

import static dev.sluice.worker.stream.StreamScene.catchUp;
import static dev.sluice.worker.stream.StreamScene.durable;
import static dev.sluice.worker.stream.StreamScene.upTo;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a JetStream consumer delivers messages, as far as workers depend on it. */
interface DeliveryFacts extends StreamScene {
    @Test
    default void firstDeliveriesComeInStreamOrderWithoutAGapInTheConsumerSequence() {
        limits();
        for (int round = 0; round < 20; round++) {
            publish("p.1", 1);
            publish("p.2", 2);
            publish("p.3", 1);
        }
        create(durable("c", "p.1", "p.3"));
        Received received = receive("c", 20);
        publish("p.1", 5);
        awaitCount(received, 20);
        received.pull.want(25, 0);
        awaitCount(received, 45);
        assertThat(received.sequences()).isSorted().doesNotHaveDuplicates();
        assertThat(received.deliveries).noneMatch(each -> each.subject().equals("p.2"));
        assertThat(received.consumerSequences()).isEqualTo(upTo(45));
        assertThat(received.deliveries).allMatch(each -> each.deliveryCount() == 1);
        assertThat(received.deliveries.getLast().pending()).isZero();
    }

    @Test
    default void aDeliveryHasTheMessageAsItWasPublished() {
        limits();
        test().publish("p.1", "hello".getBytes(UTF_8));
        create(durable("c", "p.1"));
        Delivery delivery = awaitCount(receive("c", 1), 1).deliveries.getFirst();
        assertThat(delivery.subject()).isEqualTo("p.1");
        assertThat(delivery.data()).asString(UTF_8).isEqualTo("hello");
        assertThat(delivery.sequence()).isEqualTo(1);
        assertThat(delivery.headers()).isEmpty();
        assertThat(delivery.storedAt()).isAfter(Instant.EPOCH);
    }

    @Test
    default void aConsumerInMemoryWithoutAcksStartsAtItsSequence() {
        limits();
        publish("p.1", 10);
        create(catchUp("c", 4, "p.1"));
        Received received = awaitCount(receive("c", 100), 7);
        assertThat(received.sequences()).containsExactly(4L, 5L, 6L, 7L, 8L, 9L, 10L);
        assertThat(received.consumerSequences()).isEqualTo(upTo(7));
        assertThat(consumers().info("c").orElseThrow().ackPending()).isZero();
    }

    @Test
    default void aConsumerWithoutAcksIsNotHeldBackByWhatIsNotAcknowledged() {
        limits();
        publish("p.1", 300);
        ConsumerSpec spec = catchUp("c", 1, "p.1");
        create(spec);
        assertThat(spec.maxAckPending()).isLessThan(300);
        awaitCount(receive("c", 300), 300);
    }

    @Test
    default void aStartBelowTheFirstMessageIsMovedUp() {
        limits();
        publish("p.1", 5);
        test().purgeBefore(4);
        create(catchUp("c", 2, "p.1"));
        assertThat(awaitCount(receive("c", 10), 2).sequences()).containsExactly(4L, 5L);
    }

    /** 2.15 begins at the start; 2.10 moves it down to the message after the last one. Neither leaves one out. */
    @Test
    default void aStartBeyondTheLastMessageWaitsForIt() {
        limits();
        publish("p.1", 3);
        create(catchUp("c", 6, "p.1"));
        Received received = receive("c", 10);
        publish("p.1", 4);
        until("7 comes", () -> received.sequences().contains(7L));
        assertThat(received.sequences())
                .endsWith(6L, 7L)
                .isSubsetOf(4L, 5L, 6L, 7L)
                .isSorted();
        assertThat(received.consumerSequences()).isEqualTo(upTo(received.deliveries.size()));
    }

    @Test
    default void twoConsumersOfOneSubjectEachGetEverything() {
        limits();
        publish("p.1", 5);
        create(durable("a", "p.1"));
        create(durable("b", "p.1"));
        assertThat(awaitCount(receive("a", 10), 5).ackAll().sequences()).isEqualTo(upTo(5));
        assertThat(awaitCount(receive("b", 10), 5).sequences()).isEqualTo(upTo(5));
    }

    @Test
    default void deletingAConsumerLeavesTheOther() {
        limits();
        publish("p.1", 5);
        create(durable("a", "p.1"));
        create(durable("b", "p.1"));
        Received other = awaitCount(receive("b", 10), 5);
        assertThat(consumers().delete("a")).isTrue();
        publish("p.1", 5);
        assertThat(awaitCount(other, 10).sequences()).isEqualTo(upTo(10));
        assertThat(other.broken).isEmpty();
    }

    @Test
    default void aNewConsumerDeliversWhatAnotherHasPending() {
        limits();
        publish("p.1", 6);
        create(durable("a", "p.1"));
        awaitCount(receive("a", 4), 4);
        create(catchUp("b", 3, "p.1"));
        assertThat(awaitCount(receive("b", 10), 4).sequences()).containsExactly(3L, 4L, 5L, 6L);
    }

    @Test
    default void anAddedFilterNeverRewinds() {
        limits();
        publish("p.2", 60);
        publish("p.1", 1);
        create(durable("c", "p.1"));
        Received received = awaitCount(receive("c", 100), 1);
        changeFilters(durable("c", "p.1", "p.2"));
        publish("p.2", 1);
        awaitCount(received, 2);
        assertThat(received.sequences()).containsExactly(61L, 62L);
    }

    @Test
    default void removingAFilterLosesNothingOfTheOthers() {
        limits();
        publishInTurns(20, "p.1", "p.2", "p.3");
        create(durable("c", "p.1", "p.2", "p.3"));
        Received received = awaitCount(receive("c", 10), 10);
        changeFilters(durable("c", "p.1", "p.3"));
        publishInTurns(5, "p.1", "p.2", "p.3");
        received.pull.want(200, 0);
        until(
                "all of p.1 and p.3",
                () -> received.sequences().stream()
                                .filter(each -> each % 3 != 2)
                                .count()
                        == 50);
        assertThat(received.sequences()).isSorted().doesNotHaveDuplicates();
        assertThat(received.consumerSequences()).isEqualTo(upTo(received.deliveries.size()));
        assertThat(received.sequences().stream().filter(each -> each % 3 == 2 && each > 10))
                .as("p.2 after its filter was removed")
                .isEmpty();
    }

    @Test
    default void unacknowledgedMessagesStayWithTheirConsumerAfterTheirSubjectLeftItsFilter() {
        limits();
        publish("p.1", 1);
        publish("p.2", 1);
        create(durable("c", SOON_AGAIN, "p.1", "p.2"));
        Received received = awaitCount(receive("c", 2), 2);
        changeFilters(durable("c", SOON_AGAIN, "p.1"));
        assertThat(consumers().info("c").orElseThrow().ackPending()).isEqualTo(2);
        received.pull.want(10, 0);
        until(
                "p.2 comes again",
                () -> received.deliveries.stream()
                        .anyMatch(each -> each.subject().equals("p.2") && each.deliveryCount() > 1));
    }

    @Test
    default void aMessageThatIsNotAcknowledgedComesAgainWithTheNextConsumerSequence() {
        limits();
        publish("p.1", 1);
        create(durable("c", SOON_AGAIN, "p.1"));
        Received received = awaitCount(receive("c", 10), 5);
        assertThat(received.sequences()).allMatch(each -> each == 1);
        assertThat(received.consumerSequences()).startsWith(1L, 2L, 3L, 4L, 5L);
        assertThat(received.deliveries.get(4).deliveryCount()).isEqualTo(5);
    }

    @Test
    default void inProgressKeepsAMessageFromComingAgain() {
        limits();
        publish("p.1", 2);
        create(durable("c", SOON_AGAIN, "p.1"));
        Received received = awaitCount(receive("c", 20), 2);
        until("the other comes a third time", () -> {
            received.deliveries.getFirst().inProgress();
            return received.sequences().stream().filter(each -> each == 2).count() >= 3;
        });
        assertThat(received.sequences().stream().filter(each -> each == 1)).hasSize(1);
    }

    @Test
    default void anAcknowledgedMessageIsSettled() {
        limits();
        publish("p.1", 3);
        create(durable("c", "p.1"));
        awaitCount(receive("c", 10), 3).ackAll();
        until("the acks have arrived", () -> consumers().info("c").orElseThrow().ackPending() == 0);
        assertThat(consumers().info("c").orElseThrow().ackFloor()).isEqualTo(3);
    }

    @Test
    default void deliveriesToAnotherPullAreMissingInTheConsumerSequence() {
        limits();
        create(durable("c", SOON_AGAIN, "p.1"));
        publish("p.1", 2);
        Received received = awaitCount(receive("c", 2), 2).ackAll();
        publish("p.1", 2);
        awaitCount(receive("c", 2), 2);
        publish("p.1", 1);
        received.pull.want(1, 0);
        awaitCount(received, 3);
        received.deliveries.get(2).ack();
        received.pull.want(2, 0);
        awaitCount(received, 5);
        assertThat(received.consumerSequences().subList(0, 3)).containsExactly(1L, 2L, 5L);
        assertThat(received.sequences().subList(0, 3)).containsExactly(1L, 2L, 5L);
        assertThat(received.sequences().subList(3, 5))
                .as("come again after the ack wait")
                .containsExactly(3L, 4L);
    }

    @Test
    default void noMoreThanMaxAckPendingAreDelivered() {
        limits();
        publish("p.1", 30);
        create(new ConsumerSpec("c", List.of("p.1"), 0, true, NEVER_AGAIN, 10, 16, null, false));
        Received received = awaitCount(receive("c", 100), 10);
        until(
                "the server counts them",
                () -> consumers().info("c").orElseThrow().ackPending() == 10);
        assertThat(received.deliveries).hasSize(10);
        received.ackAll();
        awaitCount(received, 20);
        assertThat(received.broken).isEmpty();
    }

    @Test
    default void aStaleAckIsTakenByAConsumerOfTheSameName() {
        limits();
        publish("p.1", 1);
        create(durable("c", "p.1"));
        Delivery stale = awaitCount(receive("c", 1), 1).deliveries.getFirst();
        consumers().delete("c");
        create(durable("c", "p.1"));
        awaitCount(receive("c", 1), 1);
        stale.ack();
        until("the stale ack counts", () -> consumers().info("c").orElseThrow().ackPending() == 0);
    }
}
