package dev.sluice.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.model.Priority;
import dev.sluice.run.TurnsOnThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A partition holds at most its share of a lane, and finds its share free whatever the others hold. */
class LaneRoomTest {
    private static final long EVENT_BYTES = 200;
    private static final LaneSettings.Batch BATCH =
            new LaneSettings.Batch(10, 1 << 20, Duration.ofMillis(50), Duration.ofMillis(10));

    private final TurnsOnThreads turns = new TurnsOnThreads(1);
    private final LaneCounters counters = new LaneCounters();
    private final TestPartition busy = new TestPartition(0);
    private final TestPartition quiet = new TestPartition(1);
    private final List<CompletableFuture<BatchOutcome>> attempts = new ArrayList<>();
    private final TestNode node = new TestNode(2);

    @AfterEach
    void close() {
        turns.close();
    }

    /** A gateway that answers when the test says so. */
    private Lane lane(LaneSettings.Batch batch, LaneSettings.Queue queue) {
        Lane lane = new Lane(
                "g",
                new LaneSettings(batch, queue, LaneSettings.Retry.DEFAULT, LaneSettings.Breaker.DEFAULT, 100, true),
                turns,
                counters,
                new LetterBox(new InMemoryDeadLetters(), turns, counters),
                node,
                () -> new Lanes.Told("", List.of()));
        lane.up(new Deliverer() {
            @Override
            public CompletionStage<BatchOutcome> deliver(DeliveryBatch sent) {
                CompletableFuture<BatchOutcome> answer = new CompletableFuture<>();
                attempts.add(answer);
                return answer;
            }

            @Override
            public void close() {}
        });
        return lane;
    }

    private Lane lane() {
        return lane(BATCH, new LaneSettings.Queue(100, 1 << 20, 70, 90));
    }

    /** Fills the lane as the partition would, and returns how many matches it took. */
    private static int fill(Lane lane, TestPartition partition, Priority priority) {
        int taken = 0;
        while (lane.room(priority, partition) == Lane.Room.YES) {
            partition.give(lane, priority, 1);
            taken++;
        }
        return taken;
    }

    private void answerAll() {
        while (!attempts.isEmpty()) {
            attempts.removeFirst().complete(BatchOutcome.DELIVERED);
        }
    }

    @Test
    void aPartitionThatIsAloneHasTheWholeQueue() {
        node.partitions = 1;
        assertThat(fill(lane(), busy, Priority.NORMAL)).isEqualTo(90);
    }

    @Test
    void aBusyPartitionLeavesTheOthersTheirShares() {
        Lane lane = lane();
        assertThat(fill(lane, busy, Priority.NORMAL)).isEqualTo(45);
        assertThat(fill(lane, quiet, Priority.NORMAL)).isEqualTo(45);
        assertThat(fill(lane, busy, Priority.HIGH)).as("the rest of its share").isEqualTo(5);
        assertThat(fill(lane, quiet, Priority.HIGH)).isEqualTo(5);
    }

    @Test
    void bytesHaveShares() {
        LaneSettings.Batch small = new LaneSettings.Batch(10, 1, Duration.ofMillis(50), Duration.ofMillis(10));
        Lane lane = lane(small, new LaneSettings.Queue(1_000, 100 * EVENT_BYTES, 70, 90));
        assertThat(fill(lane, busy, Priority.NORMAL)).isEqualTo(45);
        assertThat(fill(lane, quiet, Priority.NORMAL)).isEqualTo(45);
    }

    @Test
    void roomIsTwoBatchesHoweverManyPartitionsThereAreAndALowerClassLeavesSomeOfIt() {
        node.partitions = 50;
        Lane lane = lane();
        assertThat(fill(lane, busy, Priority.LOW)).isEqualTo(14);
        assertThat(fill(lane, busy, Priority.HIGH)).isEqualTo(6);
        assertThat(fill(lane, quiet, Priority.LOW)).isEqualTo(14);
    }

    /** The queue bounds what is in memory also where the shares together are larger. */
    @Test
    void allPartitionsTogetherHoldNoMoreThanTheQueue() {
        node.partitions = 50;
        Lane lane = lane();
        int held = 0;
        for (int k = 0; k < node.partitions; k++) {
            held += fill(lane, new TestPartition(k), Priority.NORMAL);
        }
        assertThat(held).isEqualTo(90);
    }

    @Test
    void whatOthersHoldAtTheTailKeepsNoPartitionFromCatchingUp() {
        Lane lane = lane();
        fill(lane, busy, Priority.NORMAL);
        assertThat(lane.hasRoomToCatchUp(Priority.NORMAL, busy)).isFalse();
        int taken = 0;
        while (lane.hasRoomToCatchUp(Priority.NORMAL, quiet)) {
            quiet.give(lane, Priority.NORMAL, 1);
            taken++;
        }
        assertThat(taken)
                .as("35 percent of its share, for the tail needs room, too")
                .isEqualTo(18);
    }

    @Test
    void whatIsAcknowledgedOrWithdrawnIsRoomAgain() {
        Lane lane = lane();
        fill(lane, busy, Priority.NORMAL);
        lane.pump();
        answerAll();
        assertThat(fill(lane, busy, Priority.NORMAL)).isEqualTo(45);
        Awaited unused = lane.withdraw(each -> each.sender == busy, each -> {});
        assertThat(fill(lane, busy, Priority.NORMAL)).isEqualTo(45);
        assertThat(lane.status(List.of()).queued()).containsEntry(Priority.NORMAL, 45);
    }

    @Test
    void aPartitionWithoutRoomIsWokenOnceForARefusalWhenThereIsRoom() {
        Lane lane = lane();
        fill(lane, busy, Priority.NORMAL);
        assertThat(lane.hasRoomToCatchUp(Priority.NORMAL, busy)).isFalse();
        assertThat(lane.hasRoomToCatchUp(Priority.LOW, busy)).isFalse();
        lane.pump();
        assertThat(busy.wakes).as("there is no room yet").isZero();
        answerAll();
        assertThat(busy.wakes).isEqualTo(1);
        fill(lane, busy, Priority.NORMAL);
        lane.pump();
        answerAll();
        assertThat(busy.wakes).as("it was not refused again").isEqualTo(1);
        assertThat(quiet.wakes).as("it was never refused").isZero();
    }

    @Test
    void roomThatOthersHaveTakenWakesWhoWaitsForIt() {
        node.partitions = 50;
        Lane lane = lane();
        List<TestPartition> many = new ArrayList<>();
        for (int k = 2; k < 20; k++) {
            many.add(new TestPartition(k));
            fill(lane, many.getLast(), Priority.NORMAL);
        }
        assertThat(lane.hasRoomToCatchUp(Priority.NORMAL, quiet)).isFalse();
        lane.pump();
        answerAll();
        assertThat(quiet.wakes).isEqualTo(1);
        assertThat(lane.hasRoomToCatchUp(Priority.NORMAL, quiet)).isTrue();
    }

    @Test
    void aPartitionThatIsClosedIsNotWoken() {
        Lane lane = lane();
        fill(lane, busy, Priority.NORMAL);
        assertThat(lane.hasRoomToCatchUp(Priority.NORMAL, busy)).isFalse();
        busy.close();
        Awaited unused = lane.withdraw(each -> each.sender == busy, each -> {});
        lane.pump();
        assertThat(busy.wakes).isZero();
    }
}
