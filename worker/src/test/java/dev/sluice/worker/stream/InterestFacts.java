package dev.sluice.worker.stream;

import static dev.sluice.worker.stream.StreamScene.durable;
import static dev.sluice.worker.stream.StreamScene.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** When an interest stream keeps and erases messages, as far as workers depend on it. */
interface InterestFacts extends StreamScene {
    @Test
    default void interestWithoutAConsumerNothingIsStored() {
        interest();
        publish("p.1", 5);
        assertThat(test().stored()).isEmpty();
        assertThat(stream().state().last()).isEqualTo(5);
    }

    @Test
    default void interestDeletingTheLastConsumerErasesUnreadMessages() {
        interest();
        create(durable("a", "p.1"));
        publish("p.1", 5);
        consumers().delete("a");
        until("erased", () -> test().stored().isEmpty());
    }

    @Test
    default void interestRemovingTheLastFilterErasesUnreadMessages() {
        interest();
        create(durable("a", "p.1", "p.2"));
        publishInTurns(3, "p.1", "p.2");
        changeFilters(durable("a", "p.1"));
        publish("p.2", 2);
        until("erased", () -> test().stored().equals(List.of(1L, 3L, 5L)));
    }

    @Test
    default void interestRemovingTheLastFilterErasesPendingMessages() {
        interest();
        create(durable("a", "p.1", "p.2"));
        publishInTurns(3, "p.1", "p.2");
        awaitCount(receive("a", 4), 4);
        changeFilters(durable("a", "p.1"));
        until("erased", () -> test().stored().equals(List.of(1L, 3L, 5L)));
    }

    @Test
    default void interestASecondConsumerKeepsUnreadMessagesOfADeletedOne() {
        interest();
        create(durable("a", "p.1"));
        publish("p.1", 5);
        create(durable("b", "p.1"));
        consumers().delete("a");
        publish("p.1", 1);
        assertThat(awaitCount(receive("b", 10), 6).sequences()).isEqualTo(upTo(6));
    }

    @Test
    default void interestASecondConsumerKeepsPendingMessagesOfADeletedOne() {
        interest();
        create(durable("a", "p.1"));
        publish("p.1", 5);
        awaitCount(receive("a", 3), 3);
        create(durable("b", "p.1"));
        consumers().delete("a");
        assertThat(awaitCount(receive("b", 10), 5).sequences()).isEqualTo(upTo(5));
    }

    @Test
    default void interestASecondConsumerKeepsMessagesWhoseFilterIsRemoved() {
        interest();
        create(durable("a", "p.1", "p.2"));
        publishInTurns(4, "p.1", "p.2");
        awaitCount(receive("a", 4), 4);
        create(durable("b", "p.2"));
        changeFilters(durable("a", "p.1"));
        publish("p.2", 1);
        assertThat(awaitCount(receive("b", 10), 5).sequences()).containsExactly(2L, 4L, 6L, 8L, 9L);
    }

    @Test
    default void interestASecondConsumerFromASequenceKeepsMessagesFromThereOn() {
        interest();
        create(durable("a", "p.1", "p.2"));
        publishInTurns(4, "p.1", "p.2");
        awaitCount(receive("a", 4), 4);
        create(new ConsumerSpec("b", List.of("p.2"), 4, true, NEVER_AGAIN, 100, 16, null, false));
        changeFilters(durable("a", "p.1"));
        assertThat(awaitCount(receive("b", 10), 3).sequences()).containsExactly(4L, 6L, 8L);
    }

    @Test
    default void interestAMessageStaysUntilBothConsumersAcknowledgedIt() {
        interest();
        create(durable("a", "p.1"));
        create(durable("b", "p.1"));
        publish("p.1", 2);
        awaitCount(receive("a", 2), 2).ackAll();
        until("a is done", () -> consumers().info("a").orElseThrow().ackPending() == 0);
        assertThat(test().stored()).isEqualTo(upTo(2));
        awaitCount(receive("b", 2), 2).ackAll();
        until("gone", () -> test().stored().isEmpty());
    }

    @Test
    default void interestAnAckOfTheFirstConsumerTakesNothingFromTheSecond() {
        interest();
        create(durable("a", "p.1"));
        publish("p.1", 3);
        Received first = awaitCount(receive("a", 3), 3);
        create(durable("b", "p.1"));
        first.ackAll();
        until("a is done", () -> consumers().info("a").orElseThrow().ackPending() == 0);
        assertThat(awaitCount(receive("b", 3), 3).sequences()).isEqualTo(upTo(3));
    }
}
