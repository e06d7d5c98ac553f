package dev.sluice.worker.stream;

import static dev.sluice.worker.stream.StreamScene.assertRefused;
import static dev.sluice.worker.stream.StreamScene.durable;
import static dev.sluice.worker.stream.StreamScene.upTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** When a work-queue stream keeps and deletes messages, as far as workers depend on it. */
interface WorkQueueFacts extends StreamScene {
    @Test
    default void workQueueAnAcknowledgementDeletesTheMessage() {
        workQueue();
        publish("p.1", 3);
        create(durable("c", "p.1"));
        awaitCount(receive("c", 3), 3).deliveries.get(1).ack();
        until("2 is gone", () -> test().stored().equals(List.of(1L, 3L)));
    }

    @Test
    default void workQueueTwoConsumersMayNotShareASubject() {
        workQueue();
        create(durable("a", "p.1", "p.2"));
        assertRefused(StreamRefusedException.FILTERS_OVERLAP, () -> create(durable("b", "p.2", "p.3")));
        assertRefused(StreamRefusedException.FILTERS_OVERLAP, () -> create(durable("b", "p.*")));
        create(durable("b", "p.3"));
    }

    @Test
    default void workQueueAConsumerMustStartAtTheFirstMessage() {
        workQueue();
        assertThatThrownBy(
                        () -> create(new ConsumerSpec("c", List.of("p.1"), 5, true, NEVER_AGAIN, 100, 16, null, false)))
                .isInstanceOf(StreamRefusedException.class);
    }

    @Test
    default void workQueueDeletingAConsumerFreesItsUnacknowledgedMessages() {
        workQueue();
        publish("p.1", 5);
        create(durable("a", "p.1"));
        Received first = awaitCount(receive("a", 3), 3);
        first.deliveries.getFirst().ack();
        until("1 is gone", () -> test().stored().size() == 4);
        consumers().delete("a");
        create(durable("b", "p.1"));
        Received second = awaitCount(receive("b", 10), 4);
        assertThat(second.sequences()).containsExactly(2L, 3L, 4L, 5L);
        assertThat(second.deliveries).allMatch(each -> each.deliveryCount() == 1);
    }

    @Test
    default void workQueueAnAckOfADeletedConsumerDeletesNothing() {
        workQueue();
        publish("p.1", 1);
        create(durable("a", "p.1"));
        Received first = awaitCount(receive("a", 1), 1);
        consumers().delete("a");
        create(durable("b", "p.1"));
        first.ackAll();
        awaitCount(receive("b", 1), 1);
        assertThat(test().stored()).containsExactly(1L);
    }

    @Test
    default void workQueueAnAddedFilterLeavesOlderMessagesStuck() {
        workQueue();
        publish("p.2", 10);
        publish("p.1", 1);
        create(durable("c", "p.1"));
        Received received = awaitCount(receive("c", 100), 1);
        changeFilters(durable("c", "p.1", "p.2"));
        publish("p.2", 1);
        awaitCount(received, 2);
        assertThat(received.sequences()).containsExactly(11L, 12L);
        received.ackAll();
        until("only the old ones are there", () -> test().stored().equals(upTo(10)));
    }

    @Test
    default void workQueueARemovedFilterMayHaveAnotherConsumer() {
        workQueue();
        publishInTurns(3, "p.1", "p.2");
        create(durable("a", "p.1", "p.2"));
        assertRefused(StreamRefusedException.FILTERS_OVERLAP, () -> create(durable("b", "p.2")));
        changeFilters(durable("a", "p.1"));
        create(durable("b", "p.2"));
        assertThat(awaitCount(receive("b", 10), 3).sequences()).containsExactly(2L, 4L, 6L);
        assertThat(awaitCount(receive("a", 10), 3).sequences()).containsExactly(1L, 3L, 5L);
    }

    @Test
    default void workQueueWhatIsPendingWhenItsFilterIsRemovedIsDeliveredByTheNextConsumer() {
        workQueue();
        publishInTurns(3, "p.1", "p.2");
        create(durable("a", "p.1", "p.2"));
        awaitCount(receive("a", 4), 4);
        changeFilters(durable("a", "p.1"));
        create(durable("b", "p.2"));
        assertThat(awaitCount(receive("b", 10), 3).sequences()).containsExactly(2L, 4L, 6L);
    }

    /** With another consumer on the subject, a late ack still deletes on 2.10 and does not on 2.15. */
    @Test
    default void workQueueALateAckDeletesAMessageWhoseFilterIsRemoved() {
        workQueue();
        publishInTurns(2, "p.1", "p.2");
        create(durable("a", "p.1", "p.2"));
        Received first = awaitCount(receive("a", 4), 4);
        changeFilters(durable("a", "p.1"));
        first.deliveries.get(1).ack();
        until("deleted", () -> test().stored().equals(List.of(1L, 3L, 4L)));
        create(durable("b", "p.2"));
        assertThat(awaitCount(receive("b", 10), 1).sequences()).containsExactly(4L);
    }

    @Test
    default void workQueueWhatIsPendingWhenItsFilterIsRemovedAlsoComesAgainOnTheFirstConsumer() {
        workQueue();
        publish("p.1", 1);
        publish("p.2", 1);
        create(durable("a", SOON_AGAIN, "p.1", "p.2"));
        Received first = awaitCount(receive("a", 2), 2);
        changeFilters(durable("a", SOON_AGAIN, "p.1"));
        create(durable("b", "p.2"));
        first.pull.want(10, 0);
        until(
                "p.2 comes again on a",
                () -> first.deliveries.stream()
                        .anyMatch(each -> each.subject().equals("p.2") && each.deliveryCount() > 1));
        assertThat(awaitCount(receive("b", 10), 1).sequences()).containsExactly(2L);
    }
}
