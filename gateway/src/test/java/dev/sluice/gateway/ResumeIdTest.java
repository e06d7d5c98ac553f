package dev.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.deliver.Passed;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.ProgressMarker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Resume ids, and what all partitions have passed. */
class ResumeIdTest {
    private static final String MARKER = StandInStreamer.marker(5);

    private static ClusterTime time(long i) {
        return ClusterTime.of(7, i);
    }

    @Test
    void thePlainMarkerOfAnOlderGatewayIsAResumeId() {
        ResumeId id = ResumeId.parse(MARKER);
        assertThat(id.marker()).contains(ProgressMarker.decode(MARKER));
        assertThat(id.exceptions().isEmpty()).isTrue();
        assertThat(ResumeId.parse("").marker()).isEmpty();
    }

    @Test
    void exceptionsComeBackAsTheyWere() {
        Exceptions sent = new Exceptions();
        sent.add(3, 1, "shop-2.a", time(9));
        sent.add(3, 0, "shop", new ClusterTime(-1));
        ResumeId id = ResumeId.parse(sent.appendedTo(MARKER));
        assertThat(id.marker()).contains(ProgressMarker.decode(MARKER));
        Exceptions read = id.exceptions();
        assertThat(read.appendedTo("")).isEqualTo(sent.appendedTo(""));
        assertThat(read.cover(3, 1, "shop-2.a", time(8))).isTrue();
        assertThat(read.cover(3, 1, "shop-2.a", time(9)))
                .as("others of this time may be missing")
                .isFalse();
        assertThat(read.cover(2, 1, "shop-2.a", time(8)))
                .as("another generation")
                .isFalse();
        assertThat(read.cover(3, 2, "shop-2.a", time(8))).isFalse();
        assertThat(read.cover(3, 1, "shop", time(8))).isFalse();
    }

    @Test
    void ofTooManyTheFurthestAreDropped() {
        Exceptions many = new Exceptions();
        for (int k = 0; k < 20; k++) {
            many.add(1, k, "shop", time(100 - k));
        }
        assertThat(many.cover(1, 3, "shop", time(1))).isFalse();
        assertThat(many.cover(1, 4, "shop", time(1))).isTrue();
        assertThat(ResumeId.parse(many.appendedTo(MARKER)).exceptions().appendedTo(""))
                .isEqualTo(many.appendedTo(""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "~",
                "~1",
                "~x~0:shop:1",
                "~-1~0:shop:1",
                "~1~0:shop",
                "~1~0:sh op:1",
                "~1~a:shop:1",
                "~1~0:shop:z"
            })
    void aDamagedOneIsRefused(String tail) {
        assertThatThrownBy(() -> ResumeId.parse(MARKER + tail)).isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(() -> ResumeId.parse(tail)).isInstanceOf(InvalidInputException.class);
    }

    private static Passed passed(long generation, int partitions, int partition, Map<String, EventId> marker) {
        return new Passed(generation, partitions, partition, new ProgressMarker(marker), 4, List.of());
    }

    private static ProgressMarker lowest(PassedPartitions all) {
        return Objects.requireNonNull(all.lowest()).marker().marker();
    }

    @Test
    void theLowestOfAllPartitionsCountsLogByLogWhenAllHaveTold() {
        PassedPartitions all = new PassedPartitions();
        EventId early = new EventId(time(1), 1);
        EventId late = new EventId(time(2), 2);
        all.tell(passed(1, 2, 0, Map.of("shop", early, "stock", late, "new", late)));
        assertThat(all.lowest()).isNull();
        all.tell(passed(1, 2, 1, Map.of("shop", late, "stock", early)));
        assertThat(lowest(all).positions()).isEqualTo(Map.of("shop", early, "stock", early));
        all.tell(passed(2, 2, 0, Map.of("shop", late)));
        assertThat(all.lowest()).as("the other one has to tell again").isNull();
        all.tell(passed(1, 2, 1, Map.of("shop", late)));
        assertThat(all.lowest()).as("an older generation").isNull();
        all.tell(passed(2, 2, 1, Map.of("shop", late)));
        assertThat(lowest(all).positions()).isEqualTo(Map.of("shop", late));
    }

    /** Which of them comes first in the log nobody here knows. */
    @Test
    void ofTwoEventsOfOneTimeNeitherIsTheLowest() {
        PassedPartitions all = new PassedPartitions();
        all.tell(passed(1, 2, 0, Map.of("shop", new EventId(time(5), 1))));
        all.tell(passed(1, 2, 1, Map.of("shop", new EventId(time(5), 2))));
        assertThat(lowest(all).position("shop").orElseThrow().time()).isEqualTo(time(4));
    }
}
