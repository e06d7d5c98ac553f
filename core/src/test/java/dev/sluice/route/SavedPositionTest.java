package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SavedPositionTest {
    private static ProgressMarker at(long a, long b) {
        return new ProgressMarker(Map.of("a", id(a), "b", id(b)));
    }

    private static EventId id(long second) {
        return new EventId(ClusterTime.of(second, 1), second);
    }

    private static String saved(ProgressMarker head, ProgressMarker low, ProgressMarker behind, ProgressMarker start) {
        return new SavedPosition(
                        head,
                        low,
                        Map.of(new SavedPosition.LaneKey(Recipient.parse("g"), Priority.LOW), behind),
                        Map.of("s", start))
                .text(10_000);
    }

    /** Row 36: partitions of a new number begin where nobody of the old ones misses anything. */
    @Test
    void theLowerOfTwoBeginsWhereTheLastOfEitherIs() {
        String one = saved(at(50, 60), at(40, 60), at(30, 60), at(45, 55));
        String other = saved(at(70, 58), at(70, 58), at(35, 20), at(70, 58));
        SavedPosition lower = SavedPosition.parse(Streamer.lowerOf(one, other)).orElseThrow();
        assertThat(lower.low()).isEqualTo(at(30, 20));
        assertThat(lower.head()).as("what may come twice").isEqualTo(at(70, 60));
        assertThat(lower.behind()).isEmpty();
        assertThat(lower.starting()).isEmpty();
    }

    /** Nothing saved means that it would begin now, and the other one's backlog would be gone. */
    @Test
    void whereNothingIsSavedTheOtherSaysWhereToBegin() {
        String one = saved(at(50, 60), at(40, 60), at(30, 60), at(45, 55));
        assertThat(Streamer.lowerOf(one, "")).isEqualTo(one);
        assertThat(Streamer.lowerOf("", one)).isEqualTo(one);
        assertThat(Streamer.lowerOf("", "")).isEmpty();
    }
}
