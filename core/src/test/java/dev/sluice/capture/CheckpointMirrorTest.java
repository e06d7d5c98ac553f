package dev.sluice.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.LogPoint;
import dev.sluice.log.LogPosition;
import dev.sluice.log.LogState;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.RawBson;
import java.time.Duration;
import java.time.Instant;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CheckpointMirrorTest {
    private final FailingCheckpoints store = new FailingCheckpoints();
    private final CaptureState state = new CaptureState(
            "orders_db", Duration.ofSeconds(30), () -> Instant.ofEpochSecond(1), null, () -> Duration.ZERO);
    private @Nullable Checkpoint committed;
    private LogPoint head = LogPoint.unstarted(1);
    private long nanos = Long.MAX_VALUE - 10;
    private final CheckpointMirror mirror =
            new CheckpointMirror(store, CheckpointPolicy.DEFAULT, this::log, state, () -> nanos);

    @Test
    void itCopiesWhatIsCommittedAndNothingElse() {
        store.failing = false;
        mirror.step();
        assertThat(store.list()).isEmpty();
        committed = checkpoint(1);
        nanos += Duration.ofSeconds(2).toNanos();
        mirror.step();
        assertThat(store.load("orders_db")).contains(checkpoint(1));
    }

    @Test
    void itSavesAtMostOncePerIntervalUnlessManyEventsCame() {
        store.failing = false;
        committed = checkpoint(1);
        mirror.step();
        committed = checkpoint(2);
        head = new LogPoint(new LogPosition(new ClusterTime(2), 1), new EventId(new ClusterTime(2), 7));
        mirror.step();
        assertThat(store.load("orders_db")).contains(checkpoint(1));
        state.counters().eventsIngested.addAndGet(1000);
        mirror.step();
        assertThat(store.load("orders_db")).contains(checkpoint(2));
    }

    /** A mirror in the watched deployment moves the idle position by its own writes: that must not feed itself. */
    @Test
    void anIdlePositionIsMirroredOncePerMinute() {
        store.failing = false;
        committed = checkpoint(1);
        mirror.step();
        for (int second = 1; second < 60; second++) {
            committed = checkpoint(second, ClusterTime.of(second * 1000, 1));
            nanos += Duration.ofSeconds(1).toNanos();
            mirror.step();
        }
        assertThat(store.load("orders_db")).contains(checkpoint(1));
        nanos += Duration.ofSeconds(1).toNanos();
        mirror.step();
        assertThat(store.load("orders_db")).contains(committed);
    }

    /** Behind a router the safe time stands still while nothing comes; an old token would fall out of the history. */
    @Test
    void aTokenThatMovesWhileItsTimeStandsStillIsMirroredToo() {
        store.failing = false;
        committed = checkpoint(1, ClusterTime.of(7, 1));
        mirror.step();
        committed = checkpoint(2, ClusterTime.of(7, 1));
        nanos += Duration.ofSeconds(60).toNanos();
        mirror.step();
        assertThat(store.load("orders_db")).contains(committed);
    }

    @Test
    void aPositionThatDoesNotMoveIsNotWrittenAgain() {
        store.failing = false;
        committed = checkpoint(1);
        mirror.step();
        nanos += Duration.ofMinutes(5).toNanos();
        mirror.step();
        assertThat(state.counters().checkpointsSaved()).isOne();
    }

    @Test
    void theLastEventIsMirroredWithinTheIntervalAndTheIdlePositionAtTheEnd() {
        store.failing = false;
        committed = checkpoint(1);
        mirror.step();
        head = new LogPoint(new LogPosition(new ClusterTime(2), 1), new EventId(new ClusterTime(2), 7));
        committed = checkpoint(2);
        nanos += Duration.ofSeconds(2).toNanos();
        mirror.step();
        assertThat(store.load("orders_db")).contains(checkpoint(2));
        committed = checkpoint(3);
        mirror.saveLast();
        assertThat(store.load("orders_db")).contains(checkpoint(3));
    }

    @Test
    void aStoreThatIsAwayIsCountedAndServedWhenItIsBack() {
        committed = checkpoint(1);
        mirror.step();
        assertThat(state.counters().checkpointErrors()).isOne();
        store.failing = false;
        nanos += Duration.ofSeconds(2).toNanos();
        mirror.step();
        assertThat(store.load("orders_db")).contains(checkpoint(1));
        assertThat(state.counters().checkpointsSaved()).isOne();
    }

    /** It would be waited for once more, for nothing: a stop must not take that long. */
    @Test
    void aStoreThatIsAwayIsNotTriedAgainAtTheEnd() {
        committed = checkpoint(1);
        mirror.step();
        committed = checkpoint(2);
        mirror.saveLast();
        assertThat(state.counters().checkpointErrors()).isOne();
    }

    private LogState log() {
        return new LogState(1, head, LogPoint.unstarted(1), committed, 0, 0);
    }

    @Test
    void whatNobodyExpectedOfAStoreDoesNotEndTheMirror() {
        store.failure = new IllegalStateException("a bug of a driver");
        aStoreThatIsAwayIsCountedAndServedWhenItIsBack();
    }

    private static Checkpoint checkpoint(int n) {
        return checkpoint(n, new ClusterTime(n));
    }

    private static Checkpoint checkpoint(int n, ClusterTime time) {
        return new Checkpoint(RawBson.of(new BsonDocument("n", new BsonInt32(n))), time);
    }
}
