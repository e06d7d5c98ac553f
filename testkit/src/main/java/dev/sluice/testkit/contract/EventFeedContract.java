package dev.sluice.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.log.LogReader;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Partitioner;
import dev.sluice.model.ProgressMarker;
import dev.sluice.route.EventFeed;
import dev.sluice.route.FeedEvent;
import dev.sluice.route.FeedOutOfRangeException;
import dev.sluice.route.FeedUnavailableException;
import dev.sluice.stream.StreamLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every {@link EventFeed} promises. */
@Timeout(60)
public abstract class EventFeedContract {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Predicate<List<String>> FOR_EVER = ids -> false;
    private static final Duration SHORT = Duration.ofMillis(20);
    protected static final StreamLimits LIMITS =
            StreamLimits.DEFAULT.withHeartbeat(Duration.ofMillis(20)).withMaxAheadWait(Duration.ofMillis(200));

    protected final FeedLog a = new FeedLog("a");
    protected final FeedLog b = new FeedLog("b");

    /** A feed of a Puller that has these logs; the test closes it. */
    protected abstract EventFeed feed(Map<String, LogReader> backends, StreamLimits limits);

    private EventFeed feed() {
        return feed(Map.of("a", a.reader(), "b", b.reader()), LIMITS);
    }

    /** What was read, and where it stood after so many events. */
    private record Drained(List<String> ids, NavigableMap<Integer, ProgressMarker> markers) {
        ProgressMarker end() {
            return markers.lastEntry().getValue();
        }
    }

    private static Drained drain(EventFeed feed, ProgressMarker after, int batch, int events) {
        return drain(feed, after, batch, ids -> ids.size() >= events);
    }

    private static Drained drain(EventFeed feed, ProgressMarker after, int batch, Predicate<List<String>> enough) {
        List<String> ids = new ArrayList<>();
        NavigableMap<Integer, ProgressMarker> markers = new TreeMap<>();
        try (EventFeed.Reader reader = feed.open("test", after, 0, 1)) {
            while (!enough.test(ids)) {
                EventFeed.Batch read = reader.read(batch, LONG);
                assertThat(read.events().size()).isLessThanOrEqualTo(batch);
                read.events().forEach(event -> ids.add(id(event)));
                markers.put(ids.size(), read.passed());
            }
        }
        return new Drained(ids, markers);
    }

    private static String id(FeedEvent event) {
        return event.event().backend() + " " + event.event().id();
    }

    private List<String> both(int events) {
        List<String> ids = new ArrayList<>();
        for (int k = 0; k < events; k++) {
            ids.add((k % 3 == 0 ? b : a).insert(10 + k, "d" + k % 7));
        }
        return ids;
    }

    @Test
    protected void eventsComeInTheOrderOfEachBackendAndMergedByTime() {
        List<String> expected = both(100);
        assertThat(drain(feed(), ProgressMarker.NOWHERE, 1000, 100).ids()).isEqualTo(expected);
        assertThat(drain(feed(), ProgressMarker.NOWHERE, 7, 100).ids()).isEqualTo(expected);
    }

    @Test
    protected void fromTheMarkerOfAnyBatchTheRestFollows() {
        List<String> expected = both(12);
        EventFeed feed = feed();
        Drained whole = drain(feed, ProgressMarker.NOWHERE, 1, 12);
        assertThat(whole.markers()).containsKey(1).containsKey(11);
        whole.markers()
                .forEach((passed, marker) -> assertThat(
                                drain(feed, marker, 5, 12 - passed).ids())
                        .as("after %d", passed)
                        .isEqualTo(expected.subList(passed, 12)));
    }

    /**
     * An Error in a read of the log, half of a batch being laid out already: the reader is of no use any more, and from its
     * last marker nothing is missing.
     */
    @Test
    protected void anErrorInTheMiddleOfABatchEndsTheReaderAndLosesNothing() {
        // A read takes 1,000 events. 499 of the first are wanted: a prime, so that no size of batch ends just there.
        List<String> expected = new ArrayList<>();
        for (int k = 0; k < 2_500; k++) {
            boolean wanted = k < 499 || k >= 1_000;
            String inserted = a.insert(10 + k, wanted ? documentOf(0) : documentOf(1));
            if (wanted) {
                expected.add(inserted);
            }
        }
        a.failAfterReads(1);
        EventFeed feed = feed(Map.of("a", a.reader()), LIMITS);
        List<String> ids = new ArrayList<>();
        ProgressMarker after = ProgressMarker.NOWHERE;
        int failures = 0;
        EventFeed.Reader reader = feed.open("test", after, 0, 2);
        while (ids.size() < expected.size()) {
            try {
                EventFeed.Batch read = reader.read(1_000, LONG);
                read.events().forEach(event -> ids.add(id(event)));
                after = read.passed();
            } catch (FeedUnavailableException | LinkageError failed) {
                failures++;
                assertClosed(reader);
                reader = feed.open("test", after, 0, 2);
            }
        }
        reader.close();
        assertThat(ids).isEqualTo(expected);
        assertThat(failures).isOne();
    }

    /** One that lies in this of two partitions. */
    private static String documentOf(int partition) {
        return IntStream.range(0, 1_000)
                .mapToObj(k -> "d" + k)
                .filter(document -> new Partitioner(2).partitionOf("orders", document) == partition)
                .findFirst()
                .orElseThrow();
    }

    private static void assertClosed(EventFeed.Reader reader) {
        assertThatThrownBy(() -> reader.read(1, SHORT))
                .isInstanceOf(FeedUnavailableException.class)
                .hasMessageContaining("closed");
    }

    @Test
    protected void theFirstBatchComesAtOnceAndNamesEveryBackend() {
        both(10);
        try (EventFeed.Reader reader = feed().open("test", null, 0, 1)) {
            EventFeed.Batch first = reader.read(100, LONG);
            assertThat(first.events()).isEmpty();
            assertThat(first.passed().positions()).containsOnlyKeys("a", "b");
            String next = a.insert(50, "later");
            EventFeed.Batch second = reader.read(100, LONG);
            assertThat(second.events()).extracting(EventFeedContract::id).containsExactly(next);
            assertThat(drain(feed(), first.passed(), 10, 1).ids()).containsExactly(next);
        }
    }

    /** Two documents may have one text; each keeps its own order. */
    @Test
    protected void aDocumentIsKnownByTheTextAndTheKindOfItsId() {
        List<DocumentId> ids = Stream.of(DocumentId.Kind.STRING, DocumentId.Kind.OBJECT_ID, DocumentId.Kind.OTHER)
                .map(kind -> new DocumentId(kind, "5f0000000000000000000000"))
                .toList();
        ids.forEach(id -> a.insert(10, id));
        try (EventFeed.Reader reader = feed().open("test", ProgressMarker.NOWHERE, 0, 1)) {
            List<DocumentId> read = new ArrayList<>();
            while (read.size() < ids.size()) {
                reader.read(10, LONG)
                        .events()
                        .forEach(event -> read.add(event.event().documentId()));
            }
            assertThat(read).isEqualTo(ids);
        }
    }

    @Test
    protected void withoutEventsABatchIsEmptyAfterTheWait() {
        try (EventFeed.Reader reader = feed().open("test", null, 0, 1)) {
            ProgressMarker start = reader.read(100, LONG).passed();
            EventFeed.Batch nothing = reader.read(100, SHORT);
            assertThat(nothing.events()).isEmpty();
            assertThat(nothing.passed()).isEqualTo(start);
        }
    }

    @Test
    protected void anInterruptEndsTheWaitAndStays() {
        try (EventFeed.Reader reader = feed().open("test", null, 0, 1)) {
            reader.read(100, LONG);
            Thread.currentThread().interrupt();
            assertThat(reader.read(100, LONG).events()).isEmpty();
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    protected void aPartitionHasItsOwnEventsAndPassesThoseOfOthers() {
        List<String> expected = both(60);
        String drop = a.drop(80);
        List<String> got = new ArrayList<>();
        ProgressMarker end = drain(feed(), ProgressMarker.NOWHERE, 100, 61).end();
        for (int partition = 0; partition < 3; partition++) {
            List<String> own = new ArrayList<>();
            try (EventFeed.Reader reader = feed().open("test", ProgressMarker.NOWHERE, partition, 3)) {
                EventFeed.Batch read = reader.read(100, LONG);
                while (!read.passed().equals(end)) {
                    read.events().forEach(event -> own.add(id(event)));
                    read = reader.read(100, SHORT);
                }
                read.events().forEach(event -> own.add(id(event)));
            }
            assertThat(own.removeIf(drop::equals))
                    .as("control events go to every partition")
                    .isTrue();
            assertThat(own).isNotEmpty().doesNotHaveDuplicates().isSubsetOf(expected);
            assertThat(expected.stream().filter(own::contains)).containsExactlyElementsOf(own);
            got.addAll(own);
        }
        assertThat(got).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    protected void anEventComesWithEverythingTheSourceSaid() {
        a.update(20, "doc");
        try (EventFeed.Reader reader = feed().open("test", ProgressMarker.NOWHERE, 0, 1)) {
            FeedEvent event = nextEvents(reader).getFirst();
            assertThat(event.event().tenant()).isEqualTo("acme");
            assertThat(event.event().collection()).isEqualTo("orders");
            assertThat(event.event().documentId().text()).isEqualTo("doc");
            assertThat(event.event().document()).isEqualTo(FeedLog.AFTER);
            assertThat(event.event().updateDescription()).isEqualTo(FeedLog.CHANGED);
            assertThat(event.before()).isEqualTo(FeedLog.BEFORE);
            assertThat(event.event().timestamp()).isEqualTo(20_000);
            assertThat(event.event().txnNumber()).hasValue(7);
            assertThat(event.event().lookup()).isTrue();
        }
    }

    private static List<FeedEvent> nextEvents(EventFeed.Reader reader) {
        List<FeedEvent> events = reader.read(100, LONG).events();
        return events.isEmpty() ? nextEvents(reader) : events;
    }

    @Test
    protected void theSourceTimeIsThatOfTheSlowestBackendAndMovesWithoutEvents() {
        a.checkpoint(100);
        b.checkpoint(200);
        try (EventFeed.Reader reader = feed().open("test", null, 0, 1)) {
            awaitSourceTime(reader, 99_000);
            a.checkpoint(150);
            awaitSourceTime(reader, 149_000);
            a.checkpoint(300);
            awaitSourceTime(reader, 199_000);
        }
    }

    /** What was captured through the beginning of a second is certain up to the second before. */
    private static void awaitSourceTime(EventFeed.Reader reader, long millis) {
        long time = reader.read(100, LONG.dividedBy(1000)).sourceTime();
        while (time != millis) {
            assertThat(time).isLessThanOrEqualTo(millis);
            time = reader.read(100, LONG.dividedBy(1000)).sourceTime();
        }
    }

    @Test
    protected void aPositionThatIsNoLongerKeptIsRefusedWithTheOldestThatIs() {
        both(30);
        ProgressMarker early = drain(feed(), ProgressMarker.NOWHERE, 1, 3).end();
        EventId oldest = a.evictThrough(20);
        EventFeed feed = feed();
        FeedOutOfRangeException refused =
                catchThrowableOfType(FeedOutOfRangeException.class, () -> drain(feed, early, 100, FOR_EVER));
        assertThat(refused).hasMessageContaining("'a'").hasMessageContaining("current state");
        assertThat(refused.oldest().position("a")).contains(oldest);
        assertThat(a.kept()).isPositive();
        drain(feed, refused.oldest(), 100, ids -> countOf("a ", ids) == a.kept());
    }

    /** The oldest marker lies behind what other backends sent meanwhile: that must have been handed out. */
    @Test
    protected void whoLosesItsPlaceInOneBackendLosesNothingOfAnother() {
        both(9);
        ProgressMarker early = drain(feed(), ProgressMarker.NOWHERE, 1, 2).end();
        a.insert(40, "x");
        a.evictThrough(30);
        List<String> late = List.of(b.insert(50, "y"), b.insert(51, "z"));
        List<String> got = new ArrayList<>();
        EventFeed feed = feed();
        ProgressMarker goOn = null;
        try (EventFeed.Reader reader = feed.open("test", early, 0, 1)) {
            while (goOn == null) {
                try {
                    reader.read(1, LONG).events().forEach(event -> got.add(id(event)));
                } catch (FeedOutOfRangeException gone) {
                    goOn = gone.oldest();
                }
            }
            assertThatThrownBy(() -> reader.read(1, LONG)).isInstanceOf(FeedUnavailableException.class);
        }
        got.addAll(drain(feed, goOn, 100, ids -> got.size() + ids.size() >= 5).ids());
        assertThat(got).containsAll(late).doesNotHaveDuplicates();
        assertThat(countOf("b ", got)).isEqualTo(4);
    }

    private static void readForEver(EventFeed.Reader reader) {
        while (true) {
            assertThat(reader.read(10, SHORT)).isNotNull();
        }
    }

    private static long countOf(String backend, List<String> ids) {
        return ids.stream().filter(id -> id.startsWith(backend)).count();
    }

    @Test
    protected void aMarkerAheadOfThePullerIsRefusedAfterAWhileAndMayBeTriedAgain() {
        both(3);
        ProgressMarker ahead = new ProgressMarker(Map.of("a", new EventId(ClusterTime.of(900, 1), 5)));
        EventFeed feed = feed();
        try (EventFeed.Reader reader = feed.open("test", ahead, 0, 1)) {
            assertThatThrownBy(() -> readForEver(reader))
                    .isInstanceOf(FeedUnavailableException.class)
                    .hasMessageContaining("ahead");
        }
    }
}
