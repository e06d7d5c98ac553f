package dev.sluice.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.log.LogReader;
import dev.sluice.model.ProgressMarker;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Any prefix and what follows its marker are the whole; each backend in order; both by time as far as both are there. */
class ResumePropertiesTest {
    private static final List<String> BACKENDS = List.of("a", "b", "c");

    @Property(tries = 200)
    void anyPrefixAndItsResumptionAreTheWhole(
            @ForAll("arrivals") List<Integer> arrivals,
            @ForAll @IntRange(min = 0, max = 60) int prefix,
            @ForAll @IntRange(min = 1, max = 7) int batch,
            @ForAll @IntRange(min = 0, max = 2) int filtered) {
        TreeMap<String, LogReader> backends = logs(arrivals);
        EventFilter filter =
                filtered == 0 ? EventFilter.ALL : EventFilter.of(List.of(filtered - 1), 2, List.of(), List.of());
        List<TestLog.Got> whole = read(backends, ProgressMarker.NOWHERE, filter, batch);
        assertThat(whole)
                .isSortedAccordingTo(
                        (x, y) -> x.event().clusterTime().compareTo(y.event().clusterTime()));
        int cut = Math.min(prefix, whole.size() - 1);
        if (cut < 0) {
            return;
        }
        List<String> together = new ArrayList<>(ids(whole.subList(0, cut + 1)));
        ProgressMarker marker = ProgressMarker.decode(whole.get(cut).marker());
        assertThat(marker.positions()).containsOnlyKeys(BACKENDS);
        together.addAll(ids(read(backends, marker, filter, batch)));
        assertThat(together).isEqualTo(ids(whole));
    }

    @Property(tries = 100)
    void partitionsTogetherAreTheWhole(
            @ForAll("arrivals") List<Integer> arrivals, @ForAll @IntRange(min = 1, max = 5) int n) {
        TreeMap<String, LogReader> backends = logs(arrivals);
        List<String> parts = new ArrayList<>();
        for (int partition = 0; partition < n; partition++) {
            EventFilter filter = EventFilter.of(List.of(partition), n, List.of(), List.of());
            parts.addAll(ids(read(backends, ProgressMarker.NOWHERE, filter, 3)));
        }
        assertThat(parts)
                .containsExactlyInAnyOrderElementsOf(ids(read(backends, ProgressMarker.NOWHERE, EventFilter.ALL, 3)));
    }

    private static TreeMap<String, LogReader> logs(List<Integer> arrivals) {
        TreeMap<String, LogReader> backends = new TreeMap<>();
        List<TestLog> logs = new ArrayList<>();
        for (String backend : BACKENDS) {
            TestLog log = new TestLog();
            logs.add(log);
            backends.put(backend, log.reader);
        }
        long t = 2;
        for (int backend : arrivals) {
            // Every third event shares its cluster time with the one before, as in a transaction.
            t += t % 3 == 0 ? 0 : 1;
            logs.get(backend).append(logs.get(backend).insert(t + (t % 3 == 0 ? 1 : 0), "c", "d" + t % 7, t));
            t++;
        }
        return backends;
    }

    private static List<TestLog.Got> read(
            TreeMap<String, LogReader> backends, ProgressMarker after, EventFilter filter, int batch) {
        StreamRequest request = new StreamRequest("", after, filter, false, false, DocumentEncoding.BSON);
        return TestLog.drain(
                        new EventStream(
                                backends,
                                request,
                                StreamLimits.DEFAULT,
                                new WindowBudget(StreamLimits.DEFAULT.windowBytes()),
                                0),
                        batch)
                .events;
    }

    private static List<String> ids(List<TestLog.Got> events) {
        return events.stream().map(got -> got.backend() + " " + got.id()).toList();
    }

    @Provide
    Arbitrary<List<Integer>> arrivals() {
        return Arbitraries.integers().between(0, 2).list().ofMaxSize(60);
    }
}
