package dev.sluice.worker.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What workers rely on in a stream, one test for each fact. The same tests run on real servers and on the model of the
 * simulation: a fact that holds in one and not in the other makes the simulation worthless.
 */
abstract class MessageStreamContract {
    /** Long enough that nothing is delivered again within a test. */
    static final Duration NEVER_AGAIN = Duration.ofMinutes(2);

    static final Duration SOON_AGAIN = Duration.ofMillis(150);

    private final List<Received> opened = new ArrayList<>();
    private @Nullable TestStream test;

    /** A new stream of the subjects {@code p.>}. */
    protected abstract TestStream newStream(Retention retention, int maxConsumers);

    /** Waits until the condition holds, or fails. A model lets its own time pass here. */
    protected void until(String what, BooleanSupplier condition) {
        Awaitility.await(what)
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .until(condition::getAsBoolean);
    }

    @AfterEach
    void closeStream() {
        List<Integer> overlaps =
                opened.stream().map(each -> each.overlaps.get()).toList();
        opened.forEach(Received::close);
        if (test != null) {
            test.close();
        }
        assertThat(overlaps).as("calls of a receiver come one after the other").allMatch(count -> count == 0);
    }

    // ---- the stream

    @Test
    void aNewStreamIsEmpty() {
        limits();
        assertThat(stream().state().first()).isEqualTo(1);
        assertThat(stream().state().last()).isZero();
        assertThat(stream().state().retention()).isEqualTo(Retention.LIMITS);
    }

    @Test
    void anEmptiedStreamBeginsAfterItsLastMessage() {
        limits();
        publish("p.1", 3);
        test().purgeBefore(4);
        assertThat(stream().state().first()).isEqualTo(4);
        assertThat(stream().state().last()).isEqualTo(3);
    }

    @Test
    void stateTellsTheRetention() {
        workQueue();
        assertThat(stream().state().retention()).isEqualTo(Retention.WORK_QUEUE);
        test().close();
        interest();
        assertThat(stream().state().retention()).isEqualTo(Retention.INTEREST);
    }

    @Test
    void subjectsAreCounted() {
        limits();
        publish("p.1", 2);
        publish("p.2", 1);
        assertThat(stream().subjects("p.>")).isEqualTo(Map.of("p.1", 2L, "p.2", 1L));
        assertThat(stream().subjects("p.1")).isEqualTo(Map.of("p.1", 2L));
        assertThat(stream().subjects("p.3")).isEmpty();
    }

    @Test
    void lastOfFindsTheLastMessageOfASubjectOrAWildcard() {
        limits();
        publish("p.1", 2);
        publish("p.2", 1);
        assertThat(stream().lastOf("p.1")).isEqualTo(OptionalLong.of(2));
        assertThat(stream().lastOf("p.*")).isEqualTo(OptionalLong.of(3));
        assertThat(stream().lastOf("p.3")).isEmpty();
    }

    // ---- consumers

    @Test
    void aMissingConsumerHasNoInfoAndIsNotDeleted() {
        limits();
        assertThat(consumers().info("c")).isEmpty();
        assertThat(consumers().delete("c")).isFalse();
        assertThatThrownBy(() -> consumers().changeFilters(durable("c", "p.1")))
                .isInstanceOf(StreamRefusedException.class);
    }

    @Test
    void infoTellsFiltersAndCreation() {
        limits();
        ConsumerState made = create(durable("c", "p.1", "p.2"));
        ConsumerState found = consumers().info("c").orElseThrow();
        assertThat(found.filters()).containsExactlyInAnyOrder("p.1", "p.2");
        assertThat(found.created()).isEqualTo(made.created()).isAfter(Instant.EPOCH);
        assertThat(found.name()).isEqualTo("c");
    }

    @Test
    void aConsumerThatIsMadeAgainHasAnotherCreationTime() {
        limits();
        ConsumerState first = create(durable("c", "p.1"));
        assertThat(consumers().delete("c")).isTrue();
        assertThat(create(durable("c", "p.1")).created()).isAfter(first.created());
    }

    @Test
    void aNameInUseIsRefusedForOtherSettings() {
        limits();
        create(durable("c", "p.1"));
        assertThatThrownBy(() -> create(durable("c", "p.2"))).isInstanceOf(StreamRefusedException.class);
        assertThat(consumers().info("c").orElseThrow().filters()).containsExactly("p.1");
    }

    @Test
    void aNameInUseWithTheSameSettingsIsTheSameConsumer() {
        limits();
        ConsumerState first = create(durable("c", "p.1"));
        assertThat(create(durable("c", "p.1")).created()).isEqualTo(first.created());
    }

    @Test
    void filtersOfOneConsumerMayNotOverlap() {
        limits();
        assertThatThrownBy(() -> create(durable("c", "p.1", "p.1"))).isInstanceOf(StreamRefusedException.class);
        assertThatThrownBy(() -> create(durable("c", "p.1", "p.*"))).isInstanceOf(StreamRefusedException.class);
    }

    /** JetStream takes an empty list for no filter at all: such a consumer would get every subject. */
    @Test
    void aConsumerWithoutFiltersCannotBeAskedFor() {
        assertThatThrownBy(() -> durable("c")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void namesAreFoundByPrefix() {
        limits();
        create(durable("a-1", "p.1"));
        create(durable("a-2", "p.1"));
        create(durable("b-1", "p.1"));
        assertThat(consumers().names("a-")).containsExactlyInAnyOrder("a-1", "a-2");
        assertThat(consumers().names("")).hasSize(3);
    }

    @Test
    void aStreamAllowsAsManyConsumersAsItSays() {
        test = newStream(Retention.LIMITS, 2);
        create(durable("a", "p.1"));
        create(durable("b", "p.1"));
        assertThatThrownBy(() -> create(durable("c", "p.1")))
                .isInstanceOfSatisfying(
                        StreamRefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo(StreamRefusedException.TOO_MANY_CONSUMERS));
        assertThat(stream().state().maxConsumers()).isEqualTo(2);
    }

    @Test
    void aConsumerThatNobodyPullsIsDeletedAfterItsInactiveThreshold() {
        limits();
        create(inactive("idle", SOON_AGAIN));
        create(inactive("pulled", SOON_AGAIN));
        receive("pulled", 5);
        until("the idle one is deleted", () -> consumers().info("idle").isEmpty());
        create(inactive("idle2", SOON_AGAIN));
        until("another idle one is deleted", () -> consumers().info("idle2").isEmpty());
        assertThat(consumers().info("pulled")).isPresent();
    }

    // ---- deliveries

    @Test
    void firstDeliveriesComeInStreamOrderWithoutAGapInTheConsumerSequence() {
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
    void aDeliveryHasTheMessageAsItWasPublished() {
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
    void aConsumerInMemoryWithoutAcksStartsAtItsSequence() {
        limits();
        publish("p.1", 10);
        create(catchUp("c", 4, "p.1"));
        Received received = awaitCount(receive("c", 100), 7);
        assertThat(received.sequences()).containsExactly(4L, 5L, 6L, 7L, 8L, 9L, 10L);
        assertThat(received.consumerSequences()).isEqualTo(upTo(7));
        assertThat(consumers().info("c").orElseThrow().ackPending()).isZero();
    }

    @Test
    void aConsumerWithoutAcksIsNotHeldBackByWhatIsNotAcknowledged() {
        limits();
        publish("p.1", 300);
        ConsumerSpec spec = catchUp("c", 1, "p.1");
        create(spec);
        assertThat(spec.maxAckPending()).isLessThan(300);
        awaitCount(receive("c", 300), 300);
    }

    @Test
    void aStartBelowTheFirstMessageIsMovedUp() {
        limits();
        publish("p.1", 5);
        test().purgeBefore(4);
        create(catchUp("c", 2, "p.1"));
        assertThat(awaitCount(receive("c", 10), 2).sequences()).containsExactly(4L, 5L);
    }

    /** 2.15 begins at the start; 2.10 moves it down to the message after the last one. Neither leaves one out. */
    @Test
    void aStartBeyondTheLastMessageWaitsForIt() {
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
    void twoConsumersOfOneSubjectEachGetEverything() {
        limits();
        publish("p.1", 5);
        create(durable("a", "p.1"));
        create(durable("b", "p.1"));
        assertThat(awaitCount(receive("a", 10), 5).ackAll().sequences()).isEqualTo(upTo(5));
        assertThat(awaitCount(receive("b", 10), 5).sequences()).isEqualTo(upTo(5));
    }

    @Test
    void deletingAConsumerLeavesTheOther() {
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
    void aNewConsumerDeliversWhatAnotherHasPending() {
        limits();
        publish("p.1", 6);
        create(durable("a", "p.1"));
        awaitCount(receive("a", 4), 4);
        create(catchUp("b", 3, "p.1"));
        assertThat(awaitCount(receive("b", 10), 4).sequences()).containsExactly(3L, 4L, 5L, 6L);
    }

    @Test
    void anAddedFilterNeverRewinds() {
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
    void removingAFilterLosesNothingOfTheOthers() {
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
    void unacknowledgedMessagesStayWithTheirConsumerAfterTheirSubjectLeftItsFilter() {
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
    void aMessageThatIsNotAcknowledgedComesAgainWithTheNextConsumerSequence() {
        limits();
        publish("p.1", 1);
        create(durable("c", SOON_AGAIN, "p.1"));
        Received received = awaitCount(receive("c", 10), 5);
        assertThat(received.sequences()).allMatch(each -> each == 1);
        assertThat(received.consumerSequences()).startsWith(1L, 2L, 3L, 4L, 5L);
        assertThat(received.deliveries.get(4).deliveryCount()).isEqualTo(5);
    }

    @Test
    void inProgressKeepsAMessageFromComingAgain() {
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
    void anAcknowledgedMessageIsSettled() {
        limits();
        publish("p.1", 3);
        create(durable("c", "p.1"));
        awaitCount(receive("c", 10), 3).ackAll();
        until("the acks have arrived", () -> consumers().info("c").orElseThrow().ackPending() == 0);
        assertThat(consumers().info("c").orElseThrow().ackFloor()).isEqualTo(3);
    }

    @Test
    void deliveriesToAnotherPullAreMissingInTheConsumerSequence() {
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
    void noMoreThanMaxAckPendingAreDelivered() {
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
    void aStaleAckIsTakenByAConsumerOfTheSameName() {
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

    // ---- pulls

    @Test
    void noMoreIsDeliveredThanWasWanted() {
        limits();
        publish("p.1", 20);
        create(durable("c", "p.1"));
        Received received = awaitCount(receive("c", 3), 3);
        assertThat(received.pull.outstanding()).isZero();
        Received marker = awaitCount(receive("c", 1), 1);
        assertThat(received.deliveries).hasSize(3);
        assertThat(marker.sequences()).containsExactly(4L);
        received.pull.want(6, 0);
        awaitCount(received, 9);
    }

    @Test
    void whatWasAskedForCountsTowardsWhatIsWanted() {
        limits();
        create(durable("c", "p.1"));
        Received received = receive("c", 10);
        received.pull.want(10, 0);
        received.pull.want(4, 0);
        assertThat(received.pull.outstanding()).isEqualTo(10);
        publish("p.1", 30);
        awaitCount(received, 10);
        Received marker = awaitCount(receive("c", 1), 1);
        assertThat(marker.sequences()).containsExactly(11L);
        assertThat(received.deliveries).hasSize(10);
    }

    @Test
    void aClosedPullReceivesNothing() {
        limits();
        create(durable("c", "p.1"));
        Received closed = receive("c", 10);
        closed.close();
        consumers().delete("c");
        create(durable("d", "p.1"));
        publish("p.1", 1);
        awaitCount(receive("d", 1), 1);
        assertThat(closed.deliveries).isEmpty();
        assertThat(closed.broken).isEmpty();
    }

    @Test
    void deletingAConsumerBreaksItsPull() {
        limits();
        create(durable("c", "p.1"));
        Received received = receive("c", 10);
        consumers().delete("c");
        until("broken", () -> !received.broken.isEmpty());
        assertThat(received.pull.outstanding()).isZero();
        received.pull.want(10, 0);
        assertThat(received.broken).hasSize(1);
    }

    @Test
    void aPullOfAMissingConsumerBreaks() {
        limits();
        Received received = receive("c", 10);
        until("broken", () -> !received.broken.isEmpty());
    }

    // ---- work queues

    @Test
    void workQueueAnAcknowledgementDeletesTheMessage() {
        workQueue();
        publish("p.1", 3);
        create(durable("c", "p.1"));
        awaitCount(receive("c", 3), 3).deliveries.get(1).ack();
        until("2 is gone", () -> test().stored().equals(List.of(1L, 3L)));
    }

    @Test
    void workQueueTwoConsumersMayNotShareASubject() {
        workQueue();
        create(durable("a", "p.1", "p.2"));
        assertRefused(StreamRefusedException.FILTERS_OVERLAP, () -> create(durable("b", "p.2", "p.3")));
        assertRefused(StreamRefusedException.FILTERS_OVERLAP, () -> create(durable("b", "p.*")));
        create(durable("b", "p.3"));
    }

    @Test
    void workQueueAConsumerMustStartAtTheFirstMessage() {
        workQueue();
        assertThatThrownBy(
                        () -> create(new ConsumerSpec("c", List.of("p.1"), 5, true, NEVER_AGAIN, 100, 16, null, false)))
                .isInstanceOf(StreamRefusedException.class);
    }

    @Test
    void workQueueDeletingAConsumerFreesItsUnacknowledgedMessages() {
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
    void workQueueAnAckOfADeletedConsumerDeletesNothing() {
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
    void workQueueAnAddedFilterLeavesOlderMessagesStuck() {
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
    void workQueueARemovedFilterMayHaveAnotherConsumer() {
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
    void workQueueWhatIsPendingWhenItsFilterIsRemovedIsDeliveredByTheNextConsumer() {
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
    void workQueueALateAckDeletesAMessageWhoseFilterIsRemoved() {
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
    void workQueueWhatIsPendingWhenItsFilterIsRemovedAlsoComesAgainOnTheFirstConsumer() {
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

    // ---- interest

    @Test
    void interestWithoutAConsumerNothingIsStored() {
        interest();
        publish("p.1", 5);
        assertThat(test().stored()).isEmpty();
        assertThat(stream().state().last()).isEqualTo(5);
    }

    @Test
    void interestDeletingTheLastConsumerErasesUnreadMessages() {
        interest();
        create(durable("a", "p.1"));
        publish("p.1", 5);
        consumers().delete("a");
        until("erased", () -> test().stored().isEmpty());
    }

    @Test
    void interestRemovingTheLastFilterErasesUnreadMessages() {
        interest();
        create(durable("a", "p.1", "p.2"));
        publishInTurns(3, "p.1", "p.2");
        changeFilters(durable("a", "p.1"));
        publish("p.2", 2);
        until("erased", () -> test().stored().equals(List.of(1L, 3L, 5L)));
    }

    @Test
    void interestRemovingTheLastFilterErasesPendingMessages() {
        interest();
        create(durable("a", "p.1", "p.2"));
        publishInTurns(3, "p.1", "p.2");
        awaitCount(receive("a", 4), 4);
        changeFilters(durable("a", "p.1"));
        until("erased", () -> test().stored().equals(List.of(1L, 3L, 5L)));
    }

    @Test
    void interestASecondConsumerKeepsUnreadMessagesOfADeletedOne() {
        interest();
        create(durable("a", "p.1"));
        publish("p.1", 5);
        create(durable("b", "p.1"));
        consumers().delete("a");
        publish("p.1", 1);
        assertThat(awaitCount(receive("b", 10), 6).sequences()).isEqualTo(upTo(6));
    }

    @Test
    void interestASecondConsumerKeepsPendingMessagesOfADeletedOne() {
        interest();
        create(durable("a", "p.1"));
        publish("p.1", 5);
        awaitCount(receive("a", 3), 3);
        create(durable("b", "p.1"));
        consumers().delete("a");
        assertThat(awaitCount(receive("b", 10), 5).sequences()).isEqualTo(upTo(5));
    }

    @Test
    void interestASecondConsumerKeepsMessagesWhoseFilterIsRemoved() {
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
    void interestASecondConsumerFromASequenceKeepsMessagesFromThereOn() {
        interest();
        create(durable("a", "p.1", "p.2"));
        publishInTurns(4, "p.1", "p.2");
        awaitCount(receive("a", 4), 4);
        create(new ConsumerSpec("b", List.of("p.2"), 4, true, NEVER_AGAIN, 100, 16, null, false));
        changeFilters(durable("a", "p.1"));
        assertThat(awaitCount(receive("b", 10), 3).sequences()).containsExactly(4L, 6L, 8L);
    }

    @Test
    void interestAMessageStaysUntilBothConsumersAcknowledgedIt() {
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
    void interestAnAckOfTheFirstConsumerTakesNothingFromTheSecond() {
        interest();
        create(durable("a", "p.1"));
        publish("p.1", 3);
        Received first = awaitCount(receive("a", 3), 3);
        create(durable("b", "p.1"));
        first.ackAll();
        until("a is done", () -> consumers().info("a").orElseThrow().ackPending() == 0);
        assertThat(awaitCount(receive("b", 3), 3).sequences()).isEqualTo(upTo(3));
    }

    // ---- words of the tests

    void limits() {
        test = newStream(Retention.LIMITS, -1);
    }

    void workQueue() {
        test = newStream(Retention.WORK_QUEUE, -1);
    }

    void interest() {
        test = newStream(Retention.INTEREST, -1);
    }

    TestStream test() {
        return Objects.requireNonNull(test);
    }

    MessageStream stream() {
        return test().stream();
    }

    Consumers consumers() {
        return stream().consumers();
    }

    ConsumerState create(ConsumerSpec spec) {
        return consumers().create(spec);
    }

    /** The answer to a change may be old: only INFO proves it. */
    void changeFilters(ConsumerSpec spec) {
        consumers().changeFilters(spec);
        until(
                "INFO shows the filters",
                () -> List.copyOf(consumers().info(spec.name()).orElseThrow().filters())
                        .equals(spec.filters()));
    }

    void publish(String subject, int count) {
        for (int number = 0; number < count; number++) {
            test().publish(subject, new byte[] {'x'});
        }
    }

    void publishInTurns(int rounds, String... subjects) {
        for (int round = 0; round < rounds; round++) {
            Arrays.stream(subjects).forEach(subject -> publish(subject, 1));
        }
    }

    Received receive(String consumer, int messages) {
        Received received = new Received(consumers(), consumer);
        opened.add(received);
        received.pull.want(messages, 0);
        return received;
    }

    Received awaitCount(Received received, int count) {
        until(count + " deliveries", () -> received.deliveries.size() >= count);
        return received;
    }

    static List<Long> upTo(int last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    static ConsumerSpec durable(String name, String... filters) {
        return durable(name, NEVER_AGAIN, filters);
    }

    static ConsumerSpec durable(String name, Duration ackWait, String... filters) {
        return new ConsumerSpec(name, List.of(filters), 0, true, ackWait, 100, 16, null, false);
    }

    static ConsumerSpec catchUp(String name, long start, String... filters) {
        return new ConsumerSpec(
                name, List.of(filters), start, false, NEVER_AGAIN, 100, 16, Duration.ofMinutes(1), true);
    }

    static ConsumerSpec inactive(String name, Duration threshold) {
        return new ConsumerSpec(name, List.of("p.1"), 0, true, NEVER_AGAIN, 100, 16, threshold, false);
    }

    static void assertRefused(int code, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        StreamRefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo(code));
    }
}
