package dev.sluice.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.log.AbsentLog;
import dev.sluice.log.LogReader;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.ProgressMarker;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One backend's log could not be opened: the others stream on, and nobody loses a place in it. */
class AbsentBackendTest {
    private static final long NOW = 1_000;
    private final TestLog here = new TestLog();
    private final LogReader gone = new AbsentLog("damaged", () -> Instant.ofEpochSecond(NOW)).reader();

    private static EventStream open(Map<String, LogReader> backends, @Nullable ProgressMarker after) {
        StreamRequest request = new StreamRequest("", after, EventFilter.ALL, false, true, DocumentEncoding.BSON);
        StreamLimits limits = StreamLimits.DEFAULT.withMaxAheadWait(Duration.ZERO);
        return new EventStream(new TreeMap<>(backends), request, limits, new WindowBudget(limits.windowBytes()), 0);
    }

    private ProgressMarker after(EventStream stream) {
        here.append(here.insert(7, "c", "x", 1));
        assertThat(TestLog.drain(stream, 10).events).isNotEmpty();
        return ProgressMarker.decode(stream.marker().toString());
    }

    @Test
    void theMarkerKeepsTheBackendsPlaceUnchanged() {
        EventId place = new EventId(ClusterTime.of(5, 2), 77);
        ProgressMarker reached =
                after(open(Map.of("gone", gone, "here", here.reader), new ProgressMarker(Map.of("gone", place))));
        assertThat(reached.position("gone")).contains(place);
        assertThat(reached.position("here").orElseThrow().time()).isEqualTo(ClusterTime.of(7, 1));
    }

    @Test
    void whoStartsFromNowMissesNothingOfItOnceItIsBack() {
        ProgressMarker reached = after(open(Map.of("gone", gone, "here", here.reader), null));
        TestLog back = new TestLog();
        back.append(back.insert(NOW - 500, "c", "before", 1));
        back.append(back.insert(NOW + 1, "c", "meanwhile", 1));
        EventStream later = open(Map.of("gone", back.reader, "here", here.reader), reached);
        assertThat(TestLog.drain(later, 10).events)
                .extracting(got -> got.event().documentId().text())
                .containsExactly("meanwhile");
    }

    @Test
    void aLogThatBeginsLaterIsNotTakenForIt() {
        TestLog other = TestLog.unstarted();
        other.checkpoint(NOW + 100);
        for (ProgressMarker start : new ProgressMarker[] {null, ProgressMarker.NOWHERE}) {
            ProgressMarker reached = after(open(Map.of("gone", gone, "here", here.reader), start));
            EventStream later = open(Map.of("gone", other.reader, "here", here.reader), reached);
            assertThat(later.step(new TestLog.Collected(), 10, Long.MAX_VALUE, 0))
                    .isInstanceOf(Step.OutOfRange.class);
        }
    }
}
