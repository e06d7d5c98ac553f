package dev.sluice.worker.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FencingToken;
import dev.sluice.worker.Partition;
import dev.sluice.worker.cursor.Cursor;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The cursor of a lane that is given up: found by the simulation. */
class LaneCoverageTest {
    private final Lane lane =
            new Lane(Partition.open(0, "p", "p"), new FencingToken(1, 1), Cursor.startingAfter(1, 0), true);
    private final TestFeed feed = new TestFeed();

    @Test
    void whatIsDeliveredToAStoppedLaneIsNotCovered() {
        lane.attach(feed);
        deliver(1);
        lane.stop();
        deliver(2);
        assertThat(lane.coverage()).isEqualTo(1);
        assertThat(lane.cursor().low()).isZero();
    }

    @Test
    void aStoppedLaneIsNotCoveredByItsNextConsumer() {
        lane.attach(feed);
        deliver(1);
        lane.stop();
        feed.coverage = 7;
        lane.attach(feed);
        assertThat(lane.coverage()).isEqualTo(1);
    }

    @Test
    void theCursorStaysBehindAQueueThatIsDropped() {
        lane.attach(feed);
        deliver(1);
        deliver(2);
        lane.drop();
        assertThat(lane.cursor().low()).isZero();
    }

    /** As a reader does: takes it into the lane, then counts it as covered. */
    private void deliver(long sequence) {
        lane.take(new TestDelivery(sequence, "p"), feed, false, Instant.EPOCH);
        feed.coverage = sequence;
    }
}
