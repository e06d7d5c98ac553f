package dev.sluice.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.log.EventRecord;
import dev.sluice.model.Operation;
import dev.sluice.model.ProgressMarker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Row 11: whatever a consumer has, applying the coalesced stream leads to where applying the raw one leads. */
class CoalescingPropertiesTest {
    private static final StreamLimits ALWAYS = StreamLimits.DEFAULT.withCatchUpThreshold(0);

    /** An operation on a document, by number; partial updates carry no document. */
    record Change(Operation operation, boolean partial, int collection, int document) {}

    @Property(tries = 400)
    void fromAnyStateApplyingCoalescedIsApplyingRaw(
            @ForAll("changes") List<Change> changes,
            @ForAll("states") Map<String, String> state,
            @ForAll("pauses") List<Boolean> pauses) {
        TestLog log = logOf(changes);
        List<TestLog.Got> raw = read(log, null, false, ALWAYS);
        List<TestLog.Got> coalesced = readWithPauses(log, pauses);
        assertThat(apply(state, coalesced)).isEqualTo(apply(state, raw));
        assertThat(coalesced.size()).isLessThanOrEqualTo(raw.size());
        assertThat(coalesced)
                .extracting(TestLog.Got::id)
                .isSubsetOf(raw.stream().map(TestLog.Got::id).toList());
        assertThat(coalesced)
                .as("in order of their last position")
                .isSortedAccordingTo(
                        (a, b) -> a.event().clusterTime().compareTo(b.event().clusterTime()));
    }

    /** A crash after any event, with the marker that came with it or with an older one. */
    @Property(tries = 200)
    void fromEveryMarkerOfACoalescedStreamTheRestLeadsToTheSameState(
            @ForAll("changes") List<Change> changes, @ForAll("states") Map<String, String> state) {
        TestLog log = logOf(changes);
        Map<String, String> expected = apply(state, read(log, null, false, ALWAYS));
        List<TestLog.Got> coalesced = read(log, null, true, ALWAYS);
        for (int k = 0; k < coalesced.size(); k++) {
            Map<String, String> handled = apply(state, coalesced.subList(0, k + 1));
            String marker = coalesced.get(k).marker();
            assertThat(apply(handled, read(log, marker, true, ALWAYS))).isEqualTo(expected);
            assertThat(apply(handled, read(log, marker, false, ALWAYS))).isEqualTo(expected);
        }
    }

    @Property(tries = 200)
    void withoutPartialUpdatesAndControlEventsEachDocumentIsSentOnce(@ForAll("plainChanges") List<Change> changes) {
        TestLog log = logOf(changes);
        List<TestLog.Got> coalesced = read(log, null, true, ALWAYS);
        Set<String> documents = new HashSet<>();
        changes.forEach(change -> documents.add(change.collection + "/" + change.document));
        assertThat(coalesced).hasSize(documents.size());
        for (int k = 0; k < coalesced.size() - 1; k++) {
            assertThat(coalesced.get(k).marker()).isEqualTo(start());
        }
        if (!coalesced.isEmpty()) {
            ProgressMarker end = ProgressMarker.decode(coalesced.getLast().marker());
            assertThat(end.position("b")).contains(log.log.state().head().id());
        }
    }

    private static String start() {
        return new ProgressMarker(
                        Map.of("b", logOf(List.of()).log.state().head().id()))
                .encode();
    }

    private static TestLog logOf(List<Change> changes) {
        TestLog log = new TestLog();
        long t = 2;
        List<EventRecord> records = new ArrayList<>();
        for (Change change : changes) {
            boolean hasDocument = change.operation != Operation.DELETE && !change.partial && change.operation.isData();
            records.add(EventRecord.of(log.event(
                    t,
                    change.operation,
                    "",
                    "c" + change.collection,
                    change.operation.isData() ? "d" + change.document : "",
                    hasDocument ? t : null,
                    change.operation == Operation.UPDATE ? t : null)));
            t++;
        }
        log.append(records);
        return log;
    }

    private static List<TestLog.Got> read(TestLog log, String after, boolean coalesce, StreamLimits limits) {
        ProgressMarker marker = after == null ? ProgressMarker.NOWHERE : ProgressMarker.decode(after);
        StreamRequest request = new StreamRequest("", marker, EventFilter.ALL, coalesce, false, DocumentEncoding.BSON);
        TreeMap<String, dev.sluice.log.LogReader> backends = new TreeMap<>(Map.of("b", log.reader));
        return TestLog.drain(new EventStream(backends, request, limits, new WindowBudget(limits.windowBytes()), 0), 3)
                .events;
    }

    /** The consumer stands still, or there is no memory for a window, at any moment. */
    private static List<TestLog.Got> readWithPauses(TestLog log, List<Boolean> pauses) {
        StreamRequest request =
                new StreamRequest("", ProgressMarker.NOWHERE, EventFilter.ALL, true, false, DocumentEncoding.BSON);
        TreeMap<String, dev.sluice.log.LogReader> backends = new TreeMap<>(Map.of("b", log.reader));
        WindowBudget budget = new WindowBudget(1 << 20);
        TestLog.Collected got = new TestLog.Collected();
        try (EventStream stream = new EventStream(backends, request, ALWAYS, budget, 0)) {
            for (boolean pause : pauses) {
                long withheld = pause ? 0 : budget.total() - budget.taken();
                budget.give(-withheld);
                stream.step(got, 2, Long.MAX_VALUE, 0);
                budget.give(withheld);
                if (pause) {
                    stream.pause();
                }
            }
            got.events.addAll(TestLog.drain(stream, 3).events);
        }
        assertThat(budget.taken()).isZero();
        return got.events;
    }

    /** What a consumer makes of events: documents by key; a partial update adds to the document it finds. */
    private static Map<String, String> apply(Map<String, String> state, List<TestLog.Got> events) {
        Map<String, String> result = new HashMap<>(state);
        for (TestLog.Got got : events) {
            EventRecord event = got.event();
            String key = event.collection() + "/" + event.documentId().text();
            if (event.operation() == Operation.DELETE) {
                result.remove(key);
            } else if (event.operation() == Operation.DROP) {
                result.keySet().removeIf(other -> other.startsWith(event.collection() + "/"));
            } else if (event.document() != null) {
                result.put(key, event.document().toJson());
            } else if (event.operation() == Operation.UPDATE) {
                result.computeIfPresent(key, (k, document) -> patch(document, event));
            }
        }
        return result;
    }

    /** Like {@code $set} of one field: again and again makes no difference. */
    private static String patch(String document, EventRecord event) {
        return document.replaceAll(" \\+.*", "") + " +"
                + event.updateDescription().toJson();
    }

    @Provide
    Arbitrary<List<Change>> changes() {
        return changeOf(
                        Arbitraries.of(
                                Operation.INSERT,
                                Operation.UPDATE,
                                Operation.UPDATE,
                                Operation.REPLACE,
                                Operation.DELETE,
                                Operation.DROP),
                        Arbitraries.of(true, false, false))
                .list()
                .ofMaxSize(40);
    }

    @Provide
    Arbitrary<List<Change>> plainChanges() {
        return changeOf(
                        Arbitraries.of(Operation.INSERT, Operation.UPDATE, Operation.REPLACE, Operation.DELETE),
                        Arbitraries.just(false))
                .list()
                .ofMaxSize(40);
    }

    private static Arbitrary<Change> changeOf(Arbitrary<Operation> operations, Arbitrary<Boolean> partial) {
        return Combinators.combine(
                        operations,
                        partial,
                        Arbitraries.integers().between(0, 1),
                        Arbitraries.integers().between(0, 3))
                .as((operation, part, collection, document) ->
                        new Change(operation, part && operation == Operation.UPDATE, collection, document));
    }

    @Provide
    Arbitrary<Map<String, String>> states() {
        Arbitrary<String> keys = Combinators.combine(
                        Arbitraries.integers().between(0, 1),
                        Arbitraries.integers().between(0, 4))
                .as((collection, document) -> "c" + collection + "/d" + document);
        return Arbitraries.maps(keys, Arbitraries.of("old", "older")).ofMaxSize(6);
    }

    @Provide
    Arbitrary<List<Boolean>> pauses() {
        return Arbitraries.of(true, false).list().ofMaxSize(12);
    }
}
