package dev.sluice.testkit.contract;

import static dev.sluice.testkit.contract.SampleEvents.checkpoint;
import static dev.sluice.testkit.contract.SampleEvents.event;
import static dev.sluice.testkit.contract.SampleEvents.numbers;
import static dev.sluice.testkit.contract.SampleEvents.oneASecond;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.log.Appended;
import dev.sluice.log.EventLog;
import dev.sluice.log.EventLogException;
import dev.sluice.log.EventRecord;
import dev.sluice.log.Eviction;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.log.Located;
import dev.sluice.log.LogEntry;
import dev.sluice.log.LogPosition;
import dev.sluice.log.LogRead;
import dev.sluice.log.LogSize;
import dev.sluice.log.OutOfOrderException;
import dev.sluice.log.Segment;
import dev.sluice.log.SegmentLimits;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link EventLog} promises. */
public abstract class EventLogContract {
    private static final long PLENTY = Long.MAX_VALUE;
    /** A new segment at every cluster time, so that anything can be evicted. */
    private static final SegmentLimits FINE = new SegmentLimits(1, 1);

    private EventLog log = new InMemoryEventLog();

    /** A log to which nothing was ever appended, of this test alone. */
    protected abstract EventLog open(SegmentLimits limits);

    @BeforeEach
    void openLog() {
        log = open(FINE);
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    private LogRead.Entries entries(LogPosition after, int maxEvents, long maxBytes) {
        LogRead read = log.read(after, maxEvents, maxBytes);
        assertThat(read).isInstanceOf(LogRead.Entries.class);
        return (LogRead.Entries) read;
    }

    private List<Long> all() {
        return numbers(entries(log.state().evictedThrough().position(), 1_000_000, PLENTY)
                .entries());
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    @Test
    protected void whatIsAppendedIsReadInOrder() {
        log.append(oneASecond(8, 12), null);
        log.append(List.of(event(12, 9, 12), event(12, 10, 13)), null);
        assertThat(all()).as("10 behind 9, in both parts of the time").isEqualTo(range(8, 14));
        assertThat(log.state().head().id()).isEqualTo(new EventId(ClusterTime.of(12, 10), 13));
        assertThat(log.state().events()).isEqualTo(6);
    }

    /** Positions are comparable within one identity, so neither appending nor evicting may change it. */
    @Test
    protected void theIdentityStaysWhateverHappensToTheLog() {
        long identity = log.state().identity();
        assertThat(identity).isNotZero();
        log.append(List.of(), checkpoint(1, 1));
        log.append(oneASecond(2, 20), checkpoint(19, 1));
        log.evict(ClusterTime.of(10, 1));
        assertThat(log.state().identity()).isEqualTo(identity);
    }

    @Test
    protected void anotherLogHasAnotherIdentity() {
        try (EventLog other = open(FINE)) {
            assertThat(other.state().identity())
                    .isNotZero()
                    .isNotEqualTo(log.state().identity());
        }
    }

    @Test
    protected void aRecordComesBackByteForByte() {
        EventRecord big = event(5, 1, 1, 3 << 20);
        log.append(List.of(big), null);
        LogEntry entry = entries(LogPosition.before(ClusterTime.of(5, 1)), 1, 1)
                .entries()
                .getFirst();
        assertThat(entry.event().array()).isEqualTo(big.array());
    }

    /** Row 2: all events of a transaction share one cluster time, and stay in their order of arrival. */
    @Test
    protected void eventsOfOneClusterTimeKeepTheirOrderOfArrival() {
        List<Integer> shuffled =
                new ArrayList<>(IntStream.range(1, 1001).boxed().toList());
        Collections.shuffle(shuffled, new Random(5));
        List<EventRecord> transaction =
                shuffled.stream().map(n -> event(7, 1, n)).toList();
        log.append(transaction.subList(0, 300), null);
        log.append(transaction.subList(300, 1000), null);
        assertThat(all()).isEqualTo(shuffled.stream().map(Integer::longValue).toList());
        LogPosition middle =
                entries(log.state().evictedThrough().position(), 500, PLENTY).reached();
        assertThat(middle).isEqualTo(new LogPosition(ClusterTime.of(7, 1), 500));
        assertThat(entries(middle, 1000, PLENTY).entries()).hasSize(500);
    }

    @Test
    protected void appendTellsWhereEachEventStands() {
        Appended first = log.append(oneASecond(1, 3), null);
        assertThat(first.entries())
                .extracting(LogEntry::position)
                .containsExactly(new LogPosition(ClusterTime.of(1, 1), 1), new LogPosition(ClusterTime.of(2, 1), 1));
        Appended second = log.append(List.of(event(2, 1, 99)), null);
        assertThat(second.after()).isEqualTo(first.head());
        assertThat(second.entries().getFirst().position()).isEqualTo(new LogPosition(ClusterTime.of(2, 1), 2));
        assertThat(second.head()).isEqualTo(log.state().head().position());
    }

    /** Row 2: capture replays what it is not sure of after a restart. */
    @Test
    protected void repeatsAreDropped() {
        List<EventRecord> events = new ArrayList<>(oneASecond(1, 20));
        events.add(event(19, 1, 100));
        log.append(events, null);
        Appended replay = log.append(events.subList(10, 20), null);
        assertThat(replay.entries()).isEmpty();
        assertThat(replay.repeats()).isEqualTo(10);
        assertThat(log.append(List.of(event(19, 1, 19), event(19, 1, 101)), null)
                        .entries())
                .extracting(entry -> entry.event().hash())
                .containsExactly(101L);
        assertThat(log.state().events()).isEqualTo(21);
    }

    @Test
    protected void repeatsWithinOneAppendAreDroppedToo() {
        List<EventRecord> twice = new ArrayList<>(oneASecond(1, 5));
        twice.addAll(oneASecond(2, 8));
        assertThat(log.append(twice, null).repeats()).isEqualTo(3);
        assertThat(all()).isEqualTo(range(1, 8));
    }

    @Test
    protected void anOldEventThatIsNotThereIsRefusedLoudlyAndNothingIsStored() {
        log.append(oneASecond(1, 5), checkpoint(4, 1));
        assertThatThrownBy(() -> log.append(List.of(event(5, 1, 5), event(2, 1, 77)), checkpoint(5, 1)))
                .isInstanceOf(OutOfOrderException.class)
                .hasMessageContaining("2-1-000000000000004d");
        assertThat(all()).isEqualTo(range(1, 5));
        assertThat(log.state().checkpoint()).isEqualTo(checkpoint(4, 1));
        log.append(List.of(event(5, 1, 5)), null);
        assertThat(all()).isEqualTo(range(1, 6));
    }

    @Test
    protected void theCheckpointIsTheLastOneAppended() {
        assertThat(log.state().checkpoint()).isNull();
        log.append(oneASecond(1, 3), checkpoint(2, 1));
        log.append(oneASecond(3, 4), null);
        assertThat(log.state().checkpoint()).isEqualTo(checkpoint(2, 1));
        log.append(List.of(), checkpoint(9, 1));
        assertThat(log.state().checkpoint()).isEqualTo(checkpoint(9, 1));
        assertThat(log.state().capturedThrough()).isEqualTo(ClusterTime.of(9, 1));
        assertThat(all()).isEqualTo(range(1, 4));
    }

    @Test
    protected void aReadIsBoundedInEventsAndBytesButAlwaysMovesOn() {
        log.append(oneASecond(1, 11), null);
        LogPosition start = log.state().evictedThrough().position();
        assertThat(entries(start, 3, PLENTY).entries()).hasSize(3);
        int one = entries(start, 1, PLENTY).entries().getFirst().bytes();
        assertThat(entries(start, 10, 4L * one).entries()).hasSize(4);
        assertThat(entries(start, 10, 4L * one - 1).entries()).hasSize(3);
        assertThat(entries(start, 10, 1).entries()).hasSize(1);
    }

    @Test
    protected void readingAtTheHeadFindsNothingAndStaysThere() {
        log.append(oneASecond(1, 3), null);
        LogPosition head = log.state().head().position();
        LogRead.Entries read = entries(head, 10, PLENTY);
        assertThat(read.entries()).isEmpty();
        assertThat(read.reached()).isEqualTo(head);
        log.append(oneASecond(3, 4), null);
        assertThat(numbers(entries(read.reached(), 10, PLENTY).entries())).containsExactly(3L);
    }

    /** Any prefix, then resuming by the id of its last event, is the whole. */
    @Test
    protected void everyEventIsAPlaceToResumeFrom() {
        List<EventRecord> events = new ArrayList<>();
        Random random = new Random(3);
        long t = 1;
        for (int n = 1; n <= 200; n++) {
            t += random.nextInt(3) == 0 ? 1 : 0;
            events.add(event(t, 1, n));
        }
        log.append(events, null);
        for (int n = 1; n <= 200; n++) {
            Located located = log.locate(events.get(n - 1).id());
            assertThat(located).isInstanceOf(Located.At.class);
            assertThat(numbers(entries(((Located.At) located).position(), 1000, PLENTY)
                            .entries()))
                    .isEqualTo(range(n + 1, 201));
        }
    }

    @Test
    protected void anUnknownHashOrZeroReplaysItsClusterTime() {
        log.append(List.of(event(5, 1, 1), event(6, 1, 2), event(6, 1, 3), event(7, 1, 4)), null);
        Located beforeSix = new Located.At(LogPosition.before(ClusterTime.of(6, 1)));
        assertThat(log.locate(new EventId(ClusterTime.of(6, 1), 0))).isEqualTo(beforeSix);
        assertThat(log.locate(new EventId(ClusterTime.of(6, 1), 999))).isEqualTo(beforeSix);
        assertThat(log.locate(new EventId(ClusterTime.of(6, 5), 999)))
                .as("a time at which nothing happened")
                .isEqualTo(new Located.At(LogPosition.before(ClusterTime.of(6, 5))));
    }

    @Test
    protected void whatCaptureHasNotReachedIsAhead() {
        assertThat(log.locate(new EventId(ClusterTime.of(1, 1), 1))).isEqualTo(new Located.Ahead());
        log.append(oneASecond(1, 5), null);
        EventId later = new EventId(ClusterTime.of(5, 1), 5);
        assertThat(log.locate(later)).isEqualTo(new Located.Ahead());
        log.append(List.of(), checkpoint(6, 1));
        assertThat(log.locate(later))
                .as("capture has passed it while nothing came")
                .isEqualTo(new Located.At(LogPosition.before(ClusterTime.of(5, 1))));
    }

    /** A log that began later than the marker cannot know what happened between. */
    @Test
    protected void whatHappenedBeforeTheLogBeganIsTooOld() {
        assertThat(log.state().started()).isFalse();
        log.append(List.of(), checkpoint(100, 1));
        assertThat(log.state().started()).isTrue();
        log.append(oneASecond(101, 103), checkpoint(102, 1));
        EventId oldest = log.state().evictedThrough().id();
        assertThat(log.locate(new EventId(ClusterTime.of(99, 1), 1))).isEqualTo(new Located.TooOld(oldest));
        assertThat(log.locate(new EventId(ClusterTime.of(100, 1), 1))).isEqualTo(new Located.TooOld(oldest));
        assertThat(log.locate(oldest))
                .isEqualTo(new Located.At(log.state().evictedThrough().position()));
        assertThat(all()).containsExactly(101L, 102L);
    }

    /** Who came before the first event comes back to the beginning, as long as it is there. */
    @Test
    protected void theMarkerOfAnEmptyLogLeadsToItsBeginningUntilThatIsEvicted() {
        EventId early = log.state().head().id();
        assertThat(log.locate(early)).isEqualTo(new Located.At(LogPosition.START));
        log.append(oneASecond(1, 20), null);
        LogPosition beginning = log.state().evictedThrough().position();
        assertThat(log.locate(early)).isEqualTo(new Located.At(beginning));
        assertThat(log.locate(new EventId(ClusterTime.ZERO, 0))).isInstanceOf(Located.TooOld.class);
        assertThat(log.locate(new EventId(ClusterTime.ZERO, early.hash() + 2)))
                .as("of another log")
                .isInstanceOf(Located.TooOld.class);
        log.evict(ClusterTime.of(10, 1));
        assertThat(log.state().evictedThrough().position()).isNotEqualTo(beginning);
        assertThat(log.locate(early))
                .isEqualTo(new Located.TooOld(log.state().evictedThrough().id()));
    }

    @Test
    protected void eventsAtTheTimeTheLogBeganAtAreKept() {
        log.append(List.of(), checkpoint(100, 1));
        log.append(List.of(event(100, 1, 1), event(101, 1, 2)), null);
        assertThat(all()).containsExactly(1L, 2L);
    }

    /** Row 7. */
    @Test
    protected void evictionIsOldestFirstAndNeverSilent() {
        log.append(oneASecond(1, 11), checkpoint(10, 1));
        LogPosition start = log.state().evictedThrough().position();
        long bytes = log.state().bytes();
        Eviction eviction = log.evict(ClusterTime.of(4, 1));
        assertThat(eviction.events()).isEqualTo(4);
        assertThat(log.state().events()).isEqualTo(6);
        assertThat(log.state().bytes()).isEqualTo(bytes - eviction.bytes());
        EventId oldest = new EventId(ClusterTime.of(4, 1), 4);
        assertThat(log.state().evictedThrough().id()).isEqualTo(oldest);
        assertThat(log.read(start, 10, PLENTY)).isEqualTo(new LogRead.Evicted(oldest));
        assertThat(log.locate(new EventId(ClusterTime.of(3, 1), 3))).isEqualTo(new Located.TooOld(oldest));
        assertThat(log.locate(new EventId(ClusterTime.of(4, 1), 77))).isEqualTo(new Located.TooOld(oldest));
        assertThat(log.locate(oldest))
                .isEqualTo(new Located.At(log.state().evictedThrough().position()));
        assertThat(all()).isEqualTo(range(5, 11));
    }

    @Test
    protected void theHeadsClusterTimeIsNeverEvicted() {
        log.append(List.of(event(1, 1, 1), event(2, 1, 2), event(2, 1, 3)), null);
        assertThat(log.evict(ClusterTime.of(100, 1)).events()).isEqualTo(1);
        assertThat(log.evict(ClusterTime.of(100, 1))).isEqualTo(Eviction.NOTHING);
        log.append(List.of(event(2, 1, 4)), null);
        assertThat(all()).as("the rest of a transaction is still taken").containsExactly(2L, 3L, 4L);
    }

    @Test
    protected void aReplayOfEvictedEventsIsARepeat() {
        log.append(oneASecond(1, 6), null);
        log.evict(ClusterTime.of(3, 1));
        assertThat(log.append(oneASecond(1, 8), null).repeats()).isEqualTo(5);
        assertThat(all()).isEqualTo(range(4, 8));
    }

    @Test
    protected void segmentsCountExactlyAndEndAtClusterTimes() {
        log.close();
        log = open(new SegmentLimits(2000, 30));
        log.append(oneASecond(1, 31), null);
        log.append(List.of(event(30, 1, 1000), event(30, 1, 1001)), null);
        log.append(oneASecond(31, 100), null);
        List<Segment> segments = log.segments();
        assertThat(segments).hasSizeGreaterThan(3);
        assertThat(segments.stream().mapToLong(Segment::events).sum()).isEqualTo(101);
        assertThat(segments.stream().mapToLong(Segment::bytes).sum())
                .isEqualTo(log.state().bytes());
        for (int k = 1; k < segments.size(); k++) {
            assertThat(segments.get(k).first())
                    .isGreaterThan(segments.get(k - 1).last());
        }
        assertThat(LogSize.eventsBehind(log, log.state().evictedThrough().position()))
                .isEqualTo(101);
        assertThat(LogSize.eventsBehind(log, log.state().head().position())).isZero();
        assertThat(LogSize.eventsBehind(log, LogPosition.before(ClusterTime.of(60, 0))))
                .isBetween(30L, 50L);
    }

    /** Row 7: overtaken in mid-stream, a reader is told; it never gets a hole. */
    @Test
    protected void aReaderUnderEvictionGetsEveryEventOrIsTold() throws Exception {
        log.append(oneASecond(1, 2), null);
        LogPosition at = log.state().evictedThrough().position();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Future<?> writer = threads.submit(() -> {
                for (int n = 2; n < 2000; n += 10) {
                    log.append(oneASecond(n, n + 10), null);
                    log.evict(ClusterTime.of(Math.max(0, n - 15), 1));
                }
            });
            long last = 0;
            int told = 0;
            while (!writer.isDone() || at.compareTo(log.state().head().position()) < 0) {
                switch (log.read(at, 7, PLENTY)) {
                    case LogRead.Evicted overtaken -> {
                        told++;
                        at = log.state().evictedThrough().position();
                        last = at.time().t();
                    }
                    case LogRead.Entries found -> {
                        int count = found.entries().size();
                        assertThat(numbers(found.entries())).isEqualTo(range(last + 1, last + 1 + count));
                        last += count;
                        at = found.reached();
                    }
                }
            }
            writer.get();
            assertThat(last).isEqualTo(2001);
            System.out.println(getClass().getSimpleName() + ": the reader was overtaken " + told + " times");
        }
    }

    @Test
    protected void aClosedLogSaysSo() {
        log.append(oneASecond(1, 3), null);
        log.close();
        log.close();
        assertThatThrownBy(() -> log.append(oneASecond(3, 4), null))
                .isInstanceOf(EventLogException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> log.read(LogPosition.START, 1, 1)).isInstanceOf(EventLogException.class);
        assertThatThrownBy(() -> log.locate(new EventId(ClusterTime.of(1, 1), 1)))
                .isInstanceOf(EventLogException.class);
        assertThatThrownBy(() -> log.evict(ClusterTime.of(1, 1))).isInstanceOf(EventLogException.class);
    }
}
