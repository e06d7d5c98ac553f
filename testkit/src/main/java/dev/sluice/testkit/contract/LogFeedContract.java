package dev.sluice.testkit.contract;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.feed.EventFeed;
import dev.sluice.feed.FeedEvent;
import dev.sluice.feed.FeedOutOfRangeException;
import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.LogChangedException;
import dev.sluice.feed.LogHead;
import dev.sluice.feed.StreamId;
import dev.sluice.log.EventLog;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.log.LogReader;
import dev.sluice.log.SegmentLimits;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Partitioner;
import dev.sluice.model.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every {@link EventFeed} promises. */
@Timeout(60)
public abstract class LogFeedContract {
    private static final StreamId WHOLE = new StreamId("a", 0, 1);

    private final List<EventLog> logs = new ArrayList<>();

    /** Log "a", begun at the first second. */
    protected FeedLog a = new FeedLog("a");

    /** Log "b", begun at the first second. */
    protected FeedLog b = new FeedLog("b");

    /** A feed of a Puller that has these logs; the test closes it. */
    protected abstract EventFeed feed(Map<String, LogReader> logs);

    /** A log to which nothing was ever appended, of this test alone. */
    protected EventLog open(SegmentLimits limits) {
        return new InMemoryEventLog(limits);
    }

    protected final FeedLog unstarted(String name) {
        EventLog log = open(FeedLog.EVERY_TIME);
        logs.add(log);
        return new FeedLog(name, log);
    }

    @BeforeEach
    void openLogs() {
        a = unstarted("a");
        b = unstarted("b");
        a.checkpoint(1);
        b.checkpoint(1);
    }

    @AfterEach
    void closeLogs() {
        logs.forEach(EventLog::close);
    }

    private EventFeed feed() {
        return feed(Map.of("a", a.reader(), "b", b.reader()));
    }

    private static LogHead head(EventFeed feed) {
        return head(feed, "a");
    }

    private static LogHead head(EventFeed feed, String log) {
        return requireNonNull(feed.heads().get(log));
    }

    private static FeedProbe probe(EventFeed feed, Position after) {
        return new FeedProbe(feed, WHOLE, head(feed).identity(), after);
    }

    /** Events of log "a", three of each cluster time, in two appends. Returns their ids. */
    private List<String> transactions(int events) {
        List<String> ids = new ArrayList<>(a.insertAll(events - 1, 3, k -> "d" + k % 7));
        ids.add(a.insert(10 + (events - 1) / 3, "d" + (events - 1) % 7));
        return ids;
    }

    private static List<String> ids(List<FeedEvent> events) {
        return events.stream()
                .map(event -> event.event().backend() + " " + event.event().id())
                .toList();
    }

    @Test
    protected void positionsRiseInTheOrderOfTheLog() {
        List<String> expected = transactions(100);
        EventFeed feed = feed();
        for (int batch : List.of(1, 7, 1_000)) {
            try (FeedProbe probe = probe(feed, head(feed).oldest())) {
                List<FeedEvent> events = probe.events(100, batch);
                assertThat(ids(events)).isEqualTo(expected);
                for (int k = 1; k < events.size(); k++) {
                    assertThat(events.get(k).position())
                            .isGreaterThan(events.get(k - 1).position());
                }
                events.forEach(event -> assertThat(event.position().id())
                        .isEqualTo(event.event().id()));
                assertThat(probe.passed()).isEqualTo(events.getLast().position());
            }
        }
    }

    @Test
    protected void fromAnyPositionExactlyTheRestFollows() {
        List<String> expected = transactions(20);
        String last = a.insert(99, "last");
        EventFeed feed = feed();
        List<FeedEvent> whole;
        try (FeedProbe probe = probe(feed, head(feed).oldest())) {
            whole = probe.events(21, 100);
        }
        for (int k = 0; k < 20; k++) {
            try (FeedProbe probe = probe(feed, whole.get(k).position())) {
                List<String> rest = ids(probe.events(20 - k, 100));
                assertThat(rest).endsWith(last);
                assertThat(rest.subList(0, rest.size() - 1)).isEqualTo(expected.subList(k + 1, 20));
            }
        }
    }

    @Test
    protected void aBatchIsBoundedInEventsAndBytesButHasOneEventAtLeast() {
        transactions(30);
        EventFeed feed = feed();
        try (FeedProbe probe = probe(feed, head(feed).oldest())) {
            assertThat(probe.some(5, Long.MAX_VALUE)).hasSizeBetween(1, 5);
            assertThat(probe.some(100, 1)).hasSize(1);
        }
    }

    @Test
    protected void allPartitionsTogetherAreTheLogAndControlEventsAreInEach() {
        List<String> expected = transactions(60);
        String drop = a.drop(80);
        EventFeed feed = feed();
        LogHead head = head(feed);
        List<String> got = new ArrayList<>();
        for (int partition = 0; partition < 3; partition++) {
            try (FeedProbe probe =
                    new FeedProbe(feed, new StreamId("a", partition, 3), head.identity(), head.oldest())) {
                List<String> own = new ArrayList<>(ids(probe.until(head.head())));
                assertThat(own.removeIf(drop::equals)).isTrue();
                assertThat(own).isNotEmpty().doesNotHaveDuplicates();
                assertThat(expected.stream().filter(own::contains)).containsExactlyElementsOf(own);
                got.addAll(own);
            }
        }
        assertThat(got).containsExactlyInAnyOrderElementsOf(expected);
    }

    /** However many of them: a reader moves past events of other partitions and finds its own behind them. */
    @Test
    protected void eventsOfOtherPartitionsArePassed() {
        String other = documentOf(1);
        a.insertAll(12_000, 50, k -> other);
        EventFeed feed = feed();
        LogHead head = head(feed);
        try (FeedProbe probe = new FeedProbe(feed, new StreamId("a", 0, 2), head.identity(), head.oldest())) {
            assertThat(probe.until(head.head())).isEmpty();
            assertThat(probe.passed()).isEqualTo(head.head());
            String own = a.insert(1_000, documentOf(0));
            assertThat(ids(probe.events(1, 100))).containsExactly(own);
        }
    }

    /** One that lies in this of two partitions. */
    private static String documentOf(int partition) {
        return IntStream.range(0, 1_000)
                .mapToObj(k -> "d" + k)
                .filter(document -> new Partitioner(2).partitionOf("orders", document) == partition)
                .findFirst()
                .orElseThrow();
    }

    @Test
    protected void logsAreReadEachByItself() {
        String inA = a.insert(10, "d");
        String inB = b.insert(5, "d");
        EventFeed feed = feed();
        try (FeedProbe probe = probe(feed, head(feed).oldest());
                FeedProbe other = new FeedProbe(
                        feed,
                        new StreamId("b", 0, 1),
                        head(feed, "b").identity(),
                        head(feed, "b").oldest())) {
            assertThat(ids(probe.events(1, 100))).containsExactly(inA);
            assertThat(ids(other.events(1, 100))).containsExactly(inB);
        }
    }

    @Test
    protected void readingNeverWaits() {
        transactions(3);
        EventFeed feed = feed();
        try (FeedProbe probe = probe(feed, head(feed).head())) {
            long began = System.nanoTime();
            for (int k = 0; k < 10; k++) {
                EventFeed.Batch batch = probe.read();
                assertThat(batch.events()).isEmpty();
                assertThat(batch.passed()).isEqualTo(head(feed).head());
                assertThat(batch.head()).isEqualTo(batch.passed());
            }
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    protected void aCommitIsSignalled() {
        transactions(3);
        EventFeed feed = feed();
        try (FeedProbe probe = probe(feed, head(feed).oldest())) {
            probe.events(3, 100);
            for (int k = 0; k < 5; k++) {
                String next = a.insert(100 + k, "d");
                assertThat(ids(probe.events(1, 100))).containsExactly(next);
            }
        }
    }

    @Test
    protected void aReaderThatFollowsAWriterGetsEveryEventOnce() {
        EventFeed feed = feed();
        List<String> expected = new ArrayList<>();
        try (FeedProbe probe = probe(feed, head(feed).head())) {
            CompletableFuture<Void> writer = CompletableFuture.runAsync(
                    () -> {
                        for (int k = 0; k < 300; k++) {
                            expected.add(a.insert(10 + k / 3, "d" + k % 7));
                        }
                    },
                    task -> Thread.ofPlatform().start(task));
            List<FeedEvent> got = probe.events(300, 100);
            writer.join();
            assertThat(ids(got)).isEqualTo(expected);
        }
    }

    @Test
    protected void headsTellIdentityHeadAndOldest() {
        String last = transactions(10).getLast();
        EventFeed feed = feed();
        assertThat(feed.heads()).containsOnlyKeys("a", "b");
        LogHead head = head(feed);
        assertThat(head.identity()).isNotZero().isNotEqualTo(head(feed, "b").identity());
        assertThat("a " + head.head().id()).isEqualTo(last);
        assertThat(head.oldest()).isLessThan(head.head());
        EventId evicted = a.evictThrough(11);
        awaitOldest(feed, evicted);
        assertThat(head(feed).identity()).isEqualTo(head.identity());
        assertThat(head(feed).head()).isEqualTo(head.head());
    }

    /** An answer may be a little old. */
    private static void awaitOldest(EventFeed feed, EventId expected) {
        while (!head(feed).oldest().id().equals(expected)) {
            Thread.onSpinWait();
        }
    }

    @Test
    protected void knownIdsResolveToTheirPositions() {
        transactions(30);
        EventFeed feed = feed();
        LogHead head = head(feed);
        List<FeedEvent> events;
        try (FeedProbe probe = probe(feed, head.oldest())) {
            events = probe.events(30, 100);
        }
        List<EventId> ids =
                events.reversed().stream().map(event -> event.event().id()).toList();
        assertThat(feed.resolve("a", head.identity(), ids))
                .isEqualTo(events.reversed().stream().map(FeedEvent::position).toList());
        assertThat(feed.resolve("a", head.identity(), List.of(head.oldest().id())))
                .containsExactly(head.oldest());
    }

    @Test
    protected void otherIdsResolveToThePlaceBeforeTheirTime() {
        for (int k = 0; k < 20; k++) {
            a.insert(10 + k, "d");
        }
        EventId evicted = a.evictThrough(15);
        ClusterTime kept = ClusterTime.of(20, 1);
        ClusterTime old = ClusterTime.of(12, 1);
        ClusterTime ahead = ClusterTime.of(900, 1);
        EventFeed feed = feed();
        assertThat(feed.resolve(
                        "a",
                        head(feed).identity(),
                        List.of(
                                new EventId(kept, 999),
                                new EventId(kept, 0),
                                new EventId(old, 999),
                                new EventId(old, 3),
                                new EventId(evicted.time(), 0),
                                new EventId(ahead, 999))))
                .containsExactly(
                        Position.before(kept),
                        Position.before(kept),
                        Position.before(old),
                        Position.before(old),
                        Position.before(evicted.time()),
                        Position.before(ahead));
        assertOutOfRange(feed, Position.before(old));
        assertOutOfRange(feed, Position.before(evicted.time()));
    }

    private static void assertOutOfRange(EventFeed feed, Position after) {
        try (FeedProbe probe = probe(feed, after)) {
            assertThatThrownBy(() -> probe.events(1, 100)).isInstanceOf(FeedOutOfRangeException.class);
        }
    }

    @Test
    protected void aReaderAheadOfTheHeadWaitsUntilCaptureHasPassedItsPlace() {
        transactions(3);
        EventFeed feed = feed();
        Position ahead = Position.before(ClusterTime.of(50, 1));
        try (FeedProbe probe = probe(feed, ahead)) {
            assertThat(probe.read().events()).isEmpty();
            a.insert(40, "before");
            String at = a.insert(50, "at");
            String behind = a.insert(60, "behind");
            assertThat(ids(probe.events(2, 100))).containsExactly(at, behind);
        }
        try (FeedProbe probe = probe(feed, Position.behind(ClusterTime.of(50, 1)))) {
            assertThat(ids(probe.events(1, 100))).hasSize(1).allMatch(id -> id.startsWith("a 60-"));
        }
    }

    @Test
    protected void aPositionThatIsNoLongerKeptIsRefusedWithTheOldestThatIs() {
        for (int k = 0; k < 30; k++) {
            a.insert(10 + k, "d");
        }
        EventFeed feed = feed();
        Position early = head(feed).oldest();
        EventId oldest = a.evictThrough(20);
        try (FeedProbe probe = probe(feed, early)) {
            FeedOutOfRangeException refused =
                    catchThrowableOfType(FeedOutOfRangeException.class, () -> probe.events(1, 100));
            assertThat(refused).hasMessageContaining("'a'").hasMessageContaining("current state");
            assertThat(refused.oldest().id()).isEqualTo(oldest);
            probe.assertOver();
            try (FeedProbe next = probe(feed, refused.oldest())) {
                assertThat(next.events(a.kept(), 100)).hasSize(a.kept());
            }
        }
    }

    @Test
    protected void anotherIdentityIsRefused() {
        transactions(3);
        EventFeed feed = feed();
        LogHead head = head(feed);
        try (FeedProbe probe = new FeedProbe(feed, WHOLE, head.identity() + 2, head.oldest())) {
            assertThatThrownBy(() -> probe.events(1, 100)).isInstanceOf(LogChangedException.class);
            probe.assertOver();
        }
        assertThatThrownBy(() -> feed.resolve(
                        "a", head.identity() + 2, List.of(head.head().id())))
                .isInstanceOf(LogChangedException.class);
    }

    @Test
    protected void aLogThatIsNotThereIsUnavailable() {
        EventFeed feed = feed();
        try (FeedProbe probe = new FeedProbe(feed, new StreamId("c", 0, 1), 7, Position.START)) {
            assertThatThrownBy(() -> probe.events(1, 100))
                    .isInstanceOf(FeedUnavailableException.class)
                    .message()
                    .containsPattern("['\"]c['\"]");
        }
        assertThatThrownBy(() -> feed.resolve("c", 7, List.of(Position.START.id())))
                .isInstanceOf(FeedUnavailableException.class)
                .message()
                .containsPattern("['\"]c['\"]");
    }

    @Test
    protected void aLogThatHasNotBegunReadsAsEmptyAndThenFromItsBeginning() {
        FeedLog young = unstarted("a");
        EventFeed feed = feed(Map.of("a", young.reader()));
        LogHead before = head(feed);
        assertThat(before.head()).isEqualTo(before.oldest());
        try (FeedProbe probe = probe(feed, before.head())) {
            assertThat(probe.read().events()).isEmpty();
            young.checkpoint(5);
            String first = young.insert(5, "x");
            String second = young.insert(6, "y");
            assertThat(ids(probe.events(2, 100))).containsExactly(first, second);
            try (FeedProbe next = probe(feed, before.head())) {
                assertThat(ids(next.events(2, 100))).containsExactly(first, second);
            }
        }
        assertOutOfRange(feed, Position.START);
        young.insert(7, "z");
        young.evictThrough(6);
        assertOutOfRange(feed, before.head());
    }

    /** An Error in a read of the log: the reader is of no use any more, and from its last position nothing is missing. */
    @Test
    protected void anErrorEndsTheReaderAndLosesNothing() {
        List<String> documents = List.of(documentOf(0), documentOf(1));
        List<String> all = a.insertAll(2_500, 3, k -> documents.get(k % 2));
        List<String> expected =
                IntStream.range(0, 1_250).mapToObj(k -> all.get(2 * k)).toList();
        EventFeed feed = feed();
        LogHead head = head(feed);
        StreamId stream = new StreamId("a", 0, 2);
        a.failAfterReads(1);
        List<String> got = new ArrayList<>();
        int failures = 0;
        FeedProbe probe = new FeedProbe(feed, stream, head.identity(), head.oldest());
        while (got.size() < expected.size()) {
            try {
                got.addAll(ids(probe.some(1_000, Long.MAX_VALUE)));
            } catch (FeedUnavailableException | LinkageError failed) {
                failures++;
                probe.assertOver();
                probe = new FeedProbe(feed, stream, head.identity(), probe.passed());
            }
        }
        probe.close();
        assertThat(got).isEqualTo(expected);
        assertThat(failures).isOne();
    }

    @Test
    protected void aClosedReaderIsOver() {
        EventFeed feed = feed();
        FeedProbe probe = probe(feed, head(feed).head());
        probe.close();
        probe.close();
        probe.assertOver();
    }

    @Test
    protected void anEventComesWithEverythingTheSourceSaid() {
        a.update(20, "doc");
        EventFeed feed = feed();
        try (FeedProbe probe = probe(feed, head(feed).oldest())) {
            FeedEvent read = probe.events(1, 100).getFirst();
            ChangeEvent event = read.event();
            assertThat(event.backend()).isEqualTo("a");
            assertThat(event.tenant()).isEqualTo("acme");
            assertThat(event.collection()).isEqualTo("orders");
            assertThat(event.documentId().text()).isEqualTo("doc");
            assertThat(event.document()).isEqualTo(FeedLog.AFTER);
            assertThat(event.updateDescription()).isEqualTo(FeedLog.CHANGED);
            assertThat(read.before()).isEqualTo(FeedLog.BEFORE);
            assertThat(event.timestamp()).isEqualTo(20_000);
            assertThat(event.txnNumber()).hasValue(7);
            assertThat(event.lookup()).isTrue();
        }
    }

    @Test
    protected void aDocumentIsKnownByTheTextAndTheKindOfItsId() {
        List<DocumentId> documents = Stream.of(DocumentId.Kind.STRING, DocumentId.Kind.OBJECT_ID, DocumentId.Kind.OTHER)
                .map(kind -> new DocumentId(kind, "5f0000000000000000000000"))
                .toList();
        documents.forEach(id -> a.insert(10, id));
        EventFeed feed = feed();
        try (FeedProbe probe = probe(feed, head(feed).oldest())) {
            assertThat(probe.events(3, 100))
                    .extracting(event -> event.event().documentId())
                    .isEqualTo(documents);
        }
    }

    /** What was captured through the beginning of a second is certain up to the second before. */
    @Test
    protected void theSourceTimeMovesWithoutEvents() {
        a.checkpoint(100);
        EventFeed feed = feed();
        try (FeedProbe probe = probe(feed, head(feed).head())) {
            probe.awaitSourceTime(99_000);
            a.checkpoint(150);
            probe.awaitSourceTime(149_000);
        }
    }

    @Test
    protected void theSourceTimeOfAReaderThatIsBehindIsThatOfItsPlace() {
        a.insert(20, "x");
        a.insert(30, "y");
        a.checkpoint(100);
        EventFeed feed = feed();
        try (FeedProbe probe = probe(feed, head(feed).oldest())) {
            assertThat(probe.some(1, Long.MAX_VALUE)).hasSize(1);
            assertThat(probe.sourceTime()).isLessThanOrEqualTo(20_000);
        }
    }
}
