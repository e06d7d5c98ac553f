package dev.sluice.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.log.LogReader;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.ProgressMarker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EventStreamTest {
    private final TestLog a = new TestLog();
    private final TestLog b = new TestLog();
    private final TreeMap<String, LogReader> both = new TreeMap<>(Map.of("a", a.reader, "b", b.reader));

    private EventStream open(ProgressMarker after, boolean coalesce, StreamLimits limits) {
        StreamRequest request = new StreamRequest("", after, EventFilter.ALL, coalesce, true, DocumentEncoding.BSON);
        return new EventStream(both, request, limits, new WindowBudget(limits.windowBytes()), 0);
    }

    private EventStream open(ProgressMarker after) {
        return open(after, false, StreamLimits.DEFAULT);
    }

    @Test
    void aBackendThatCannotGoOnEndsTheStreamEvenWhileOthersHaveEvents() {
        for (int t = 2; t < 40; t++) {
            a.append(a.insert(t, "c", "d" + t, t));
            b.append(b.insert(t, "c", "d" + t, t));
        }
        EventStream stream = open(ProgressMarker.NOWHERE);
        TestLog.Collected first = new TestLog.Collected();
        assertThat(stream.step(first, 2, Long.MAX_VALUE, 0)).isEqualTo(new Step.Sent(2));
        stream.release();
        ProgressMarker before = ProgressMarker.decode(stream.marker().toString());
        a.log.evict(ClusterTime.of(30, 1));
        TestLog.Collected second = new TestLog.Collected();
        Step step = stream.step(second, 5, Long.MAX_VALUE, 0);
        assertThat(step).isInstanceOf(Step.OutOfRange.class);
        Step.OutOfRange gone = (Step.OutOfRange) step;
        assertThat(gone.backend()).isEqualTo("a");
        assertThat(second.events)
                .as("the other backend's events of that step count")
                .hasSize(5);
        assertThat(second.events)
                .allSatisfy(
                        got -> assertThat(ProgressMarker.decode(got.marker()).position("a"))
                                .isEqualTo(before.position("a")));
        assertStaysBeforeTheGap(stream, before);
        ProgressMarker oldest = ProgressMarker.decode(gone.oldest());
        assertThat(oldest.position("b"))
                .contains(second.events.getLast().event().id());
        assertThat(TestLog.drain(open(oldest), 10).events)
                .extracting(got -> got.backend() + got.event().clusterTime().t())
                .contains("a31", "a39")
                .doesNotContain("a30");
    }

    /** Whoever keeps one of these markers is told of the gap again, however often it comes back. */
    private static void assertStaysBeforeTheGap(EventStream stream, ProgressMarker before) {
        assertThat(ProgressMarker.decode(stream.marker().toString()).position("a"))
                .isEqualTo(before.position("a"));
        TestLog.Collected beats = new TestLog.Collected();
        stream.heartbeats(beats);
        assertThat(beats.heartbeats.getFirst())
                .startsWith("a@" + tickBefore(before.position("a").orElseThrow().time()) + " ")
                .endsWith(stream.marker().toString());
    }

    /** An event that was read, passed and never taken by the sink would be missing without a trace. */
    @Test
    void aStreamWhoseStepThrewRefusesToGoOn() {
        for (int t = 2; t < 10; t++) {
            a.append(a.insert(t, "c", "d" + t, t));
        }
        EventStream stream = open(ProgressMarker.NOWHERE);
        TestLog.Collected taken = new TestLog.Collected();
        EventSink full = new FailingSink(taken, 3);
        assertThatThrownBy(() -> stream.step(full, 100, Long.MAX_VALUE, 0)).isInstanceOf(LinkageError.class);
        assertThatThrownBy(() -> stream.step(taken, 100, Long.MAX_VALUE, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("open another")
                .hasCauseInstanceOf(LinkageError.class);
        assertThatThrownBy(() -> stream.heartbeats(taken)).isInstanceOf(IllegalStateException.class);
        assertThat(taken.events).hasSize(3);
        stream.close();
    }

    /** Takes so many events, then fails. */
    private record FailingSink(TestLog.Collected taken, int most) implements EventSink {
        @Override
        public void event(
                String backend,
                dev.sluice.log.EventRecord event,
                int ordinal,
                boolean lastState,
                int partition,
                MarkerText marker) {
            if (taken.events.size() == most) {
                throw new LinkageError("on purpose");
            }
            taken.event(backend, event, ordinal, lastState, partition, marker);
        }

        @Override
        public void heartbeat(String backend, ClusterTime time, MarkerText marker) {
            taken.heartbeat(backend, time, marker);
        }

        @Override
        public long bytes() {
            return 0;
        }
    }

    @Test
    void aMarkerThatIsTooOldStaysWhereItIs() {
        for (int t = 2; t < 40; t++) {
            a.append(a.insert(t, "c", "d" + t, t));
        }
        ProgressMarker early = ProgressMarker.decode(
                TestLog.drain(open(ProgressMarker.NOWHERE), 1).events.getFirst().marker());
        a.log.evict(ClusterTime.of(30, 1));
        EventStream stream = open(early);
        assertStaysBeforeTheGap(stream, early);
        Step step = stream.step(new TestLog.Collected(), 5, Long.MAX_VALUE, 0);
        assertThat(step).isInstanceOf(Step.OutOfRange.class);
        assertStaysBeforeTheGap(stream, early);
        assertThat(ProgressMarker.decode(((Step.OutOfRange) step).oldest()).position("a"))
                .contains(a.log.state().evictedThrough().id());
    }

    @Test
    void aBackendAheadWaitsAloneAndIsRefusedInTheEnd() {
        EventId future = new EventId(ClusterTime.of(50, 1), 7);
        ProgressMarker marker =
                new ProgressMarker(Map.of("a", future, "b", b.log.state().head().id()));
        EventStream stream = open(marker);
        b.append(b.insert(2, "c", "x", 1));
        TestLog.Collected got = new TestLog.Collected();
        assertThat(stream.step(got, 5, Long.MAX_VALUE, 0)).isEqualTo(new Step.Sent(1));
        assertThat(ProgressMarker.decode(got.events.getFirst().marker()).position("a"))
                .contains(future);
        assertThat(stream.step(got, 5, Long.MAX_VALUE, 1)).isEqualTo(new Step.Waiting());
        long late = Duration.ofSeconds(31).toNanos();
        assertThat(stream.step(got, 5, Long.MAX_VALUE, late)).isEqualTo(new Step.TooFarAhead("a"));
    }

    @Test
    void aLogThatHasNotBegunIsWaitedForAndThenReadFromItsBeginning() {
        dev.sluice.log.InMemoryEventLog log = new dev.sluice.log.InMemoryEventLog();
        dev.sluice.log.LiveTail tail =
                new dev.sluice.log.LiveTail(log.state().head().position(), 10, 1 << 20);
        TreeMap<String, LogReader> backends = new TreeMap<>(Map.of("a", new LogReader(log, tail)));
        EventStream stream = new EventStream(
                backends, StreamRequest.after(null), StreamLimits.DEFAULT, new WindowBudget(1 << 20), 0);
        assertThat(TestLog.drain(stream, 5).events).isEmpty();
        tail.publish(log.append(List.of(dev.sluice.log.EventRecord.of(a.insert(9, "c", "d", 1))), null));
        assertThat(TestLog.drain(stream, 5).events).hasSize(1);
    }

    @Test
    void aMarkerFromBeforeTheFirstEventIsGoodUntilSomethingIsEvictedAndForThatLogOnly() {
        TestLog log = TestLog.unstarted();
        ProgressMarker early =
                ProgressMarker.decode(streamOf(log, null).marker().toString());
        EventStream returned = streamOf(log, early);
        assertThat(TestLog.drain(returned, 5).events).isEmpty();
        log.append(log.insert(8, "c", "d", 1));
        log.append(log.insert(9, "c", "d", 2));
        assertThat(TestLog.drain(returned, 5).events).as("came back before it").hasSize(2);
        EventStream late = streamOf(log, early);
        assertThat(TestLog.drain(late, 5).events).as("came back after it").hasSize(2);

        TestLog successor = TestLog.unstarted();
        assertThat(onlyStep(successor, early)).isInstanceOf(Step.OutOfRange.class);
        successor.append(log.insert(9, "c", "d", 2));
        assertThat(onlyStep(successor, early))
                .as("a log that took the place of a lost one, and began later")
                .isInstanceOf(Step.OutOfRange.class);

        log.log.evict(ClusterTime.of(8, 1));
        assertThat(onlyStep(log, early)).isInstanceOf(Step.OutOfRange.class);
    }

    private static Step onlyStep(TestLog log, ProgressMarker after) {
        return streamOf(log, after).step(new TestLog.Collected(), 5, Long.MAX_VALUE, 0);
    }

    private static EventStream streamOf(TestLog log, @Nullable ProgressMarker after) {
        TreeMap<String, LogReader> backends = new TreeMap<>(Map.of("a", log.reader));
        return new EventStream(
                backends, StreamRequest.after(after), StreamLimits.DEFAULT, new WindowBudget(1 << 20), 0);
    }

    private static ClusterTime tickBefore(ClusterTime time) {
        return new ClusterTime(time.value() - 1);
    }

    @Test
    void heartbeatsSayHowFarEachBackendHasBeenPassed() {
        a.append(a.insert(5, "c", "d", 1));
        EventStream stream = open(ProgressMarker.NOWHERE);
        assertThat(heartbeat(stream, 0)).as("not yet passed").startsWith("a@" + tickBefore(ClusterTime.of(1, 0)));
        TestLog.drain(stream, 5);
        a.checkpoint(77);
        assertThat(heartbeat(stream, 0)).startsWith("a@" + tickBefore(ClusterTime.of(77, 0)));
        assertThat(heartbeat(stream, 1))
                .startsWith("b@" + tickBefore(ClusterTime.of(1, 0)))
                .endsWith(" " + stream.marker());
    }

    private static String heartbeat(EventStream stream, int backend) {
        TestLog.Collected beats = new TestLog.Collected();
        stream.heartbeats(beats);
        return beats.heartbeats.get(backend);
    }

    /** All events of a transaction share its time: until the source is past it, more of them may come. */
    @Test
    void aHeartbeatWithinATransactionDoesNotClaimItsTime() {
        for (int k = 0; k < 5; k++) {
            a.append(a.insert(5, "c", "d" + k, k));
        }
        EventStream stream = open(ProgressMarker.NOWHERE);
        stream.step(new TestLog.Collected(), 3, Long.MAX_VALUE, 0);
        assertThat(heartbeat(stream, 0)).as("two more in the log").startsWith("a@5-0 ");
        TestLog.drain(stream, 5);
        assertThat(heartbeat(stream, 0)).as("more may be at the source").startsWith("a@5-0 ");
        a.append(a.insert(5, "c", "d5", 5));
        TestLog.drain(stream, 5);
        assertThat(heartbeat(stream, 0)).startsWith("a@5-0 ");
        a.checkpoint(6);
        assertThat(heartbeat(stream, 0))
                .as("the source is past it")
                .startsWith("a@" + tickBefore(ClusterTime.of(6, 0)));
    }

    @Test
    void aWindowNeverPassesTheHeadItWasOpenedAt() {
        for (int t = 2; t < 12; t++) {
            a.append(a.insert(t, "c", "d", t));
        }
        EventStream stream = open(ProgressMarker.NOWHERE, true, StreamLimits.DEFAULT.withCatchUpThreshold(5));
        TestLog.Collected got = new TestLog.Collected();
        assertThat(stream.step(got, 5, Long.MAX_VALUE, 0)).isEqualTo(new Step.Working());
        a.append(a.insert(12, "c", "d", 12));
        while (got.events.isEmpty()) {
            stream.step(got, 1, Long.MAX_VALUE, 0);
        }
        assertThat(got.events.getFirst().event().clusterTime()).isEqualTo(ClusterTime.of(11, 1));
        assertThat(TestLog.drain(stream, 5).events)
                .extracting(event -> event.event().clusterTime().t())
                .containsExactly(12L);
    }

    /** Row 10: neither collection nor kind of id may be mixed up, and the tenant does not count. */
    @Test
    void aDocumentIsItsCollectionAndItsId() {
        a.append(a.event(2, Operation.INSERT, "t1", "c1", "d", 1L, null));
        a.append(a.event(3, Operation.INSERT, "t1", "c2", "d", 2L, null));
        a.append(a.event(4, Operation.DELETE, "", "c1", "d", null, null));
        EventStream stream = open(ProgressMarker.NOWHERE, true, StreamLimits.DEFAULT.withCatchUpThreshold(0));
        assertThat(TestLog.drain(stream, 5).events)
                .extracting(got -> got.event().operation() + " " + got.event().collection())
                .containsExactly("INSERT c2", "DELETE c1");
    }

    @Test
    void aStringAndAnObjectIdOfTheSameTextAreTwoDocuments() {
        String text = "5f0000000000000000000001";
        ChangeEvent string = a.insert(2, "c", text, 1);
        ChangeEvent objectId = new ChangeEvent(
                new EventId(ClusterTime.of(3, 1), 99),
                "a",
                Operation.INSERT,
                "",
                "c",
                new DocumentId(DocumentId.Kind.OBJECT_ID, text),
                string.document(),
                null,
                3000,
                OptionalLong.empty(),
                false);
        a.append(string);
        a.append(objectId);
        EventStream stream = open(ProgressMarker.NOWHERE, true, StreamLimits.DEFAULT.withCatchUpThreshold(0));
        assertThat(TestLog.drain(stream, 5).events).hasSize(2);
    }

    @Test
    void lettingGoOfWhatWasReadLosesNothing() {
        for (int t = 2; t < 30; t++) {
            a.append(a.insert(t, "c", "d" + t, t));
        }
        EventStream stream = open(ProgressMarker.NOWHERE);
        TestLog.Collected got = new TestLog.Collected();
        while (stream.step(got, 3, Long.MAX_VALUE, 0) instanceof Step.Sent) {
            stream.release();
        }
        assertThat(got.events)
                .extracting(event -> event.event().clusterTime().t())
                .hasSize(28)
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @Test
    void positionsSayHowFarBehindAConsumerIs() {
        for (int t = 2; t < 102; t++) {
            a.append(a.insert(t, "c", "d" + t, t));
        }
        EventStream stream = open(ProgressMarker.NOWHERE);
        stream.step(new TestLog.Collected(), 50, Long.MAX_VALUE, 0);
        BackendPosition position = stream.positions(0).getFirst();
        assertThat(position.eventsBehind()).isEqualTo(50);
        assertThat(position.secondsBehind()).isEqualTo(50);
        assertThat(stream.positions(0).getLast().eventsBehind()).isZero();
    }
}
