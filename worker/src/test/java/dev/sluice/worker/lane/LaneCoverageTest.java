package dev.sluice.worker.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FencingToken;
import dev.sluice.worker.Partition;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.stream.Delivery;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The cursor of a lane that is given up: found by the simulation. */
class LaneCoverageTest {
    private final Lane lane =
            new Lane(Partition.open(0, "p", "p"), new FencingToken(1, 1), Cursor.startingAfter(1, 0), true);
    private final CoveringFeed feed = new CoveringFeed();

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
        feed.covered = 7;
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
        lane.take(new TestDelivery(sequence), feed, false, Instant.EPOCH);
        feed.covered = sequence;
    }

    private static final class CoveringFeed implements Feed {
        private long covered;

        @Override
        public long coverage() {
            return covered;
        }

        @Override
        public void taken(int bytes) {}

        @Override
        public void settled(int bytes) {}

        @Override
        public void pullMore() {}

        @Override
        public boolean acksReplaced() {
            return true;
        }
    }

    private record TestDelivery(long sequence) implements Delivery {
        @Override
        public long consumerSequence() {
            return sequence;
        }

        @Override
        public long deliveryCount() {
            return 1;
        }

        @Override
        public long pending() {
            return 0;
        }

        @Override
        public int size() {
            return data().length;
        }

        @Override
        public void ack() {}

        @Override
        public void inProgress() {}

        @Override
        public String subject() {
            return "p";
        }

        @Override
        public byte[] data() {
            return new byte[0];
        }

        @Override
        public Map<String, List<String>> headers() {
            return Map.of();
        }

        @Override
        public Instant storedAt() {
            return Instant.EPOCH;
        }
    }
}
