package dev.sluice.worker.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FencingToken;
import dev.sluice.worker.Partition;
import dev.sluice.worker.cursor.Cursor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LaneTest {
    private final List<Long> acked = new ArrayList<>();
    private final TestFeed feed = new TestFeed();
    private final Lane lane = lane(Cursor.startingAfter(7, 10), true);

    private static Lane lane(Cursor start, boolean ordered) {
        return new Lane(Partition.open(0, "p", "s.>"), new FencingToken(1, 1), start, ordered);
    }

    @Test
    void theCursorFollowsTheCoverageWhileNothingIsUnfinished() {
        lane.attach(feed);
        feed.coverage = 25;
        assertThat(lane.cursor().low()).isEqualTo(25);
    }

    @Test
    void theCursorStopsBeforeTheFirstUnfinishedMessage() {
        lane.attach(feed);
        take(lane, 20, "s.a");
        feed.coverage = 25;
        assertThat(lane.cursor().low()).isEqualTo(19);
        finishNext(lane);
        assertThat(lane.cursor().low()).isEqualTo(25);
        assertThat(acked).containsExactly(20L);
    }

    @Test
    void theCursorDoesNotPassWhatIsNotProvenToBeDelivered() {
        lane.attach(feed);
        feed.coverage = 15;
        take(lane, 20, "s.a");
        finishNext(lane);
        assertThat(lane.cursor().low()).isEqualTo(15);
        assertThat(lane.cursor().finished()).containsExactly(20L);
    }

    /** Or the next owner would start behind a message that this one was given and did not take. */
    @Test
    void aStoppedLaneIsNotCoveredByWhatItsConsumerDeliversSince() {
        lane.attach(feed);
        feed.coverage = 20;
        lane.stop();
        assertThat(take(lane, 21, "s.a")).isFalse();
        feed.coverage = 21;
        assertThat(lane.cursor().low()).isEqualTo(20);
    }

    @Test
    void aSequenceIsTakenOnceWhicheverConsumerDeliversIt() {
        lane.attach(feed);
        assertThat(take(lane, 11, "s.a")).isTrue();
        assertThat(take(lane, 11, "s.a")).isFalse();
        finishNext(lane);
        assertThat(take(lane, 11, "s.a")).as("finished").isFalse();
        assertThat(take(lane, 9, "s.a")).as("below the cursor").isFalse();
        assertThat(acked).as("what is finished is acknowledged again").containsExactly(11L, 11L, 9L);
        assertThat(lane.size()).isZero();
    }

    @Test
    void aLaneBlocksWhenItDoesNotWorkItsQueueOffWithinTheTime() {
        lane.attach(feed);
        take(lane, 11, "s.a");
        take(lane, 12, "s.a");
        assertThat(lane.isBlockingFor(true, 500, 1_000)).isFalse();
        finishNext(lane);
        take(lane, 13, "s.a");
        assertThat(lane.isBlockingFor(true, 500, 1_499)).isFalse();
        assertThat(lane.isBlockingFor(true, 500, 1_500)).isTrue();
        assertThat(lane.isBlockingFor(false, 500, 1_600)).isFalse();
        assertThat(lane.isBlockingFor(true, 500, 2_000))
                .as("the time counts anew")
                .isFalse();
    }

    @Test
    void aLaneThatHasWorkedItsQueueOffSinceIsBusyAndBlocksNobody() {
        lane.attach(feed);
        take(lane, 11, "s.a");
        assertThat(lane.isBlockingFor(true, 500, 1_000)).isFalse();
        take(lane, 12, "s.a");
        finishNext(lane);
        assertThat(lane.isBlockingFor(true, 500, 1_500)).isFalse();
        assertThat(lane.isBlockingFor(true, 500, 1_999)).isFalse();
        assertThat(lane.isBlockingFor(true, 500, 2_000)).isTrue();
    }

    @Test
    void theLatestDeliveryIsTheOneThatIsAcknowledged() {
        lane.attach(feed);
        TestFeed other = new TestFeed();
        take(lane, 11, "s.a");
        lane.attach(other);
        lane.take(new TestDelivery(11, "s.a", acked), other, true, Instant.EPOCH);
        assertThat(feed.unsettled).isZero();
        assertThat(other.unsettled).isEqualTo(1);
        assertThat(acked).as("the consumer before needs not wait").containsExactly(11L);
        finishNext(lane);
        assertThat(other.unsettled).isZero();
        assertThat(acked).containsExactly(11L, 11L);
    }

    @Test
    void handlesOneMessageAtATimeInOrder() {
        lane.attach(feed);
        take(lane, 11, "s.a");
        take(lane, 12, "s.b");
        Item first = next(lane);
        assertThat(first.sequence()).isEqualTo(11);
        assertThat(lane.next(8)).isNull();
        lane.putBack(first);
        assertThat(next(lane)).as("tried again first").isSameAs(first);
    }

    @Test
    void byKeyOnlyMessagesOfOneSubjectWaitForEachOther() {
        Lane keyed = lane(Cursor.startingAfter(7, 10), false);
        keyed.attach(feed);
        take(keyed, 11, "s.a");
        take(keyed, 12, "s.a");
        take(keyed, 13, "s.b");
        Item first = next(keyed);
        Item second = next(keyed);
        assertThat(List.of(first.sequence(), second.sequence())).containsExactly(11L, 13L);
        assertThat(keyed.next(8)).isNull();
        feed.coverage = 13;
        keyed.finish(second);
        assertThat(keyed.cursor().low()).isEqualTo(10);
        assertThat(keyed.cursor().finished()).containsExactly(13L);
    }

    @Test
    void theNextOwnerKnowsTheAttemptsAndWhatIsFinished() {
        lane.attach(feed);
        take(lane, 11, "s.a");
        Item item = next(lane);
        lane.failed(item);
        lane.putBack(item);
        Cursor handed = Cursor.parse(lane.cursor().toText());
        Lane next = lane(handed, true);
        next.attach(feed);
        take(next, 11, "s.a");
        assertThat(next(next).failures()).isEqualTo(1);
    }

    @Test
    void fromTheSecondDeathOnAnAttemptIsRecordedBeforeItBegins() {
        Lane suspicious = lane(new Cursor(7, 10, List.of(), 0, 0, 2), true);
        suspicious.attach(feed);
        take(suspicious, 11, "s.a");
        next(suspicious);
        assertThat(suspicious.cursor().retrying()).isEqualTo(11);
        assertThat(suspicious.cursor().attempts()).isEqualTo(1);
    }

    @Test
    void aClosedPartitionEndsWithItsLastMessage() {
        lane.attach(feed);
        lane.partition(new Partition(0, "p", "s.>", true, 12));
        take(lane, 12, "s.a");
        assertThat(lane.refuses(12, feed)).isFalse();
        assertThat(lane.refuses(13, feed)).isTrue();
        feed.coverage = 13;
        assertThat(lane.isComplete()).isFalse();
        finishNext(lane);
        assertThat(lane.isComplete()).isTrue();
        assertThat(lane.cursor().low())
                .as("what came behind its end was not handled")
                .isEqualTo(12);
    }

    /** What comes behind the end of a closed partition is handled when the partition is opened again. */
    @Test
    void aPartitionThatIsOpenedAgainGoesOnBehindItsLastMessage() {
        lane.attach(feed);
        lane.partition(new Partition(0, "p", "s.>", true, 12));
        feed.coverage = 20;
        lane.detach(feed);
        lane.partition(Partition.open(0, "p", "s.>"));
        assertThat(lane.coverage()).isEqualTo(12);
        assertThat(lane.cursor().low()).isEqualTo(12);
    }

    /** Its consumer has delivered what came behind the end, and it was not taken: another one has to deliver it again. */
    @Test
    void aPartitionThatIsOpenedAgainLeavesTheConsumerThatFedIt() {
        lane.attach(feed);
        lane.partition(new Partition(0, "p", "s.>", true, 12));
        take(lane, 12, "s.a");
        feed.coverage = 20;
        lane.partition(Partition.open(0, "p", "s.>"));
        assertThat(lane.isFed()).isFalse();
        assertThat(lane.refuses(21, feed)).as("before what lies between").isTrue();
        assertThat(lane.coverage()).isEqualTo(12);
        finishNext(lane);
        assertThat(lane.cursor().low()).isEqualTo(12);
    }

    /** The stream has lost its last messages, and gives their sequences to others. */
    @Test
    void aLaneThatBeginsAgainBeforeItsQueueForgetsTheQueue() {
        Lane fromTheStart = lane(Cursor.startingAfter(7, 0), true);
        fromTheStart.attach(feed);
        take(fromTheStart, 1, "s.a");
        feed.coverage = 1;
        fromTheStart.detach(feed);
        fromTheStart.restartAfter(7, 0);
        assertThat(fromTheStart.size()).isZero();
        lane.attach(feed);
        take(lane, 11, "s.a");
        Item old = next(lane);
        lane.restartAfter(7, 0);
        assertThat(take(lane, 11, "s.a")).isTrue();
        lane.finish(old);
        assertThat(next(lane).sequence()).isEqualTo(11);
    }

    /** Sequences of a stream that was deleted mean other messages in the one that has its name now. */
    @Test
    void anotherStreamOfTheSameNameBeginsWithAnEmptyQueue() {
        lane.attach(feed);
        take(lane, 11, "s.a");
        Item old = next(lane);
        lane.restartAfter(8, 0);
        assertThat(take(lane, 11, "s.a")).isTrue();
        lane.finish(old);
        assertThat(next(lane).sequence())
                .as("the new message is still to be handled")
                .isEqualTo(11);
    }

    private boolean take(Lane into, long sequence, String subject) {
        return into.take(new TestDelivery(sequence, subject, acked), feed, true, Instant.EPOCH);
    }

    private static Item next(Lane from) {
        return Objects.requireNonNull(from.next(8));
    }

    private static void finishNext(Lane from) {
        from.finish(next(from));
    }
}
