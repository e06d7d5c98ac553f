package dev.sluice.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.capture.CaptureSettings.OnGap;
import dev.sluice.capture.CaptureSettings.Start;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.InMemoryCheckpoints;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CaptureLoopTest {
    private final Bench bench = new Bench();
    private final MemoryChangeSource source = bench.source;

    private static final SourceFailure AWAY = new SourceFailure.Retryable("connection refused");

    @Test
    void aFirstStartFromNowLeavesOutWhatWasBefore() {
        source.commit("orders", "before");
        bench.settle();
        source.commit("orders", "a", "b");
        bench.settle();
        assertThat(bench.documents()).containsExactly("a", "b");
        assertThat(bench.status()).isEqualTo(CaptureStatus.HEALTHY);
        assertThat(bench.counters().eventsIngested()).isEqualTo(2);
    }

    @Test
    void aFirstStartFromTheEarliestTakesAllThatTheSourceHas() {
        source.commit("orders", "before");
        bench.with(bench.settings.withStart(Start.EARLIEST)).settle();
        assertThat(bench.documents()).containsExactly("before");
    }

    @Test
    void aFirstStartThatShallStopOpensNothing() {
        bench.with(bench.settings.withStart(Start.STOP)).settle();
        assertThat(source.opened()).isEmpty();
        assertThat(bench.status()).isEqualTo(CaptureStatus.MISCONFIGURED);
        assertThat(bench.loop.state().reason()).contains("set start to now or earliest");
        assertThat(bench.step()).isEqualTo(CaptureLoop.FOREVER);
    }

    @Test
    void theOpeningPositionIsStoredBeforeAnyEventSoThatHistoryHasABeginning() {
        bench.steps(2);
        assertThat(bench.log.state().started()).isTrue();
        assertThat(bench.log.state().checkpoint()).isNotNull();
    }

    @Test
    void aRestartContinuesBehindTheLogsOwnCheckpoint() {
        bench.settle();
        source.commit("orders", "a");
        bench.settle();
        source.commit("orders", "while away");
        bench.restart().settle();
        assertThat(bench.documents()).containsExactly("a", "while away");
        assertThat(source.opened()).last().isInstanceOf(StartPoint.After.class);
    }

    /** Killed between the parcels of the very first batch: some events are stored, no position is. */
    @Test
    void aLogThatHasEventsButNoCheckpointGoesOnAtItsHead() {
        ClusterTime head = source.commit("orders", "a");
        bench.log.append(source.history(), null);
        source.commit("orders", "while away");
        bench.settle();
        assertThat(source.opened()).containsExactly(new StartPoint.At(head));
        assertThat(bench.documents()).containsExactly("a", "while away");
        assertThat(bench.counters().gapsDetected()).isZero();
    }

    @Test
    void aLogThatHasEventsButNoCheckpointIsToldWhenItsHeadIsLost() {
        source.commit("orders", "a");
        bench.log.append(source.history(), null);
        source.rollOver();
        bench.settle().pass(Duration.ofSeconds(1)).settle();
        assertThat(bench.operations()).containsExactly(Operation.INSERT, Operation.RESYNC);
        assertThat(bench.counters().gapsDetected()).isOne();
    }

    /** Row 4: a quiet or filtered stream moves on, so that its token does not age out of the oplog. */
    @Test
    void thePositionOfAnIdleStreamIsSavedAtMostOncePerInterval() {
        bench.settle();
        int atFirst = bench.appender.checkpointsWithoutEvents;
        Checkpoint before = bench.log.state().checkpoint();
        for (int k = 0; k < 10; k++) {
            source.otherWrites();
            bench.steps(1);
        }
        assertThat(bench.appender.checkpointsWithoutEvents).isEqualTo(atFirst);
        bench.pass(Duration.ofSeconds(1)).steps(1);
        assertThat(bench.appender.checkpointsWithoutEvents).isEqualTo(atFirst + 1);
        assertThat(bench.log.state().checkpoint()).isNotEqualTo(before);
        assertThat(bench.log.state().capturedThrough()).isGreaterThan(before.time());
    }

    @Test
    void anUnmovedPositionIsNotSavedAgain() {
        bench.settle();
        int saved = bench.appender.checkpointsWithoutEvents;
        bench.pass(Duration.ofSeconds(5)).settle();
        assertThat(bench.appender.checkpointsWithoutEvents).isEqualTo(saved);
    }

    @Test
    void shutdownSavesTheIdlePosition() {
        bench.settle();
        source.otherWrites();
        bench.steps(1);
        Checkpoint before = bench.log.state().checkpoint();
        bench.loop.close();
        bench.loop.close();
        assertThat(bench.log.state().checkpoint()).isNotEqualTo(before);
        assertThat(bench.status()).isEqualTo(CaptureStatus.CLOSED);
    }

    /** Row 5: silence is not a gap. */
    @Test
    void aQuietNightIsNoGap() {
        bench.settle();
        source.commit("orders", "evening");
        bench.settle();
        for (int hour = 0; hour < 10; hour++) {
            bench.pass(Duration.ofHours(1));
            source.otherWrites();
            bench.steps(1);
        }
        source.commit("orders", "morning");
        bench.settle();
        assertThat(bench.counters().gapsDetected()).isZero();
        assertThat(bench.operations()).doesNotContain(Operation.RESYNC);
    }

    /** Rows 5 and 6: the new stream is opened first, then RESYNC and its token are committed together. */
    @Test
    void lostHistoryBecomesAResyncEventWithTheFirstTokenOfTheNewStream() {
        bench.settle();
        source.commit("orders", "kept");
        bench.settle();
        source.commit("orders", "lost");
        source.rollOver();
        bench.restart().steps(2);
        assertThat(bench.operations()).doesNotContain(Operation.RESYNC);
        Checkpoint before = bench.log.state().checkpoint();
        source.commit("orders", "after the new stream was opened");
        bench.settle();
        assertThat(bench.operations()).containsExactly(Operation.INSERT, Operation.RESYNC, Operation.INSERT);
        assertThat(bench.documents()).containsExactly("kept", "after the new stream was opened");
        assertThat(bench.log.state().checkpoint()).isNotEqualTo(before);
        assertThat(bench.counters().gapsDetected()).isOne();
        EventId resync = bench.logged().get(1).id();
        assertThat(EventId.parse(resync.toString())).isEqualTo(resync);
    }

    @Test
    void aCrashBeforeTheResyncWasCommittedFindsTheGapAgain() {
        bench.settle();
        source.commit("orders", "kept");
        bench.settle();
        source.commit("orders", "lost");
        source.rollOver();
        bench.restart().steps(2).restart().settle();
        assertThat(bench.operations()).containsExactly(Operation.INSERT, Operation.RESYNC);
    }

    @Test
    void aGapStopsWhereThatIsThePolicy() {
        bench.with(bench.settings.withOnGap(OnGap.STOP)).settle();
        source.commit("orders", "lost");
        source.rollOver();
        bench.restart().settle();
        assertThat(bench.status()).isEqualTo(CaptureStatus.STOPPED_BY_GAP);
        assertThat(bench.counters().gapsDetected()).isOne();
        assertThat(bench.operations()).doesNotContain(Operation.RESYNC);
        assertThat(bench.step()).isEqualTo(CaptureLoop.FOREVER);
    }

    /** Row 5: an unknown token is no gap as long as its time can still be read. */
    @Test
    void anUnknownTokenIsReadAgainFromItsTimeAndRepeatsAreDropped() {
        bench.settle();
        ClusterTime time = source.commit("orders", "a", "b", "c");
        bench.settle();
        source.failNext(new SourceFailure.TokenUnknown("280"));
        bench.restart().settle();
        assertThat(source.opened()).last().isEqualTo(new StartPoint.At(time));
        source.commit("orders", "d");
        bench.settle();
        assertThat(bench.documents()).containsExactly("a", "b", "c", "d");
        assertThat(bench.counters().rescanned()).isEqualTo(3);
        assertThat(bench.counters().gapsDetected()).isZero();
    }

    /** Row 10: with an unchanged filter the event of a token is there, unless the source is another one. */
    @Test
    void anUnknownTokenWithTheSameFilterIsAGap() {
        source.watch("orders");
        bench.settle();
        source.commit("orders", "a");
        bench.settle();
        source.failNext(new SourceFailure.TokenUnknown("280"));
        bench.restart().settle();
        assertThat(bench.operations()).containsExactly(Operation.INSERT, Operation.RESYNC);
        assertThat(bench.counters().gapsDetected()).isOne();
        assertThat(bench.counters().rescanned()).isZero();
    }

    @Test
    void anUnknownTokenWithAnotherFilterIsReadAgainFromItsTime() {
        source.watch("orders");
        bench.settle();
        ClusterTime time = source.commit("orders", "a");
        bench.settle();
        source.watch("orders", "invoices");
        source.failNext(new SourceFailure.TokenUnknown("280"));
        bench.restart().settle();
        assertThat(source.opened()).last().isEqualTo(new StartPoint.At(time));
        assertThat(bench.counters().gapsDetected()).isZero();
        assertThat(bench.log.state().checkpoint().filter()).isEqualTo(source.filter());
    }

    /** Checkpoints of 0.1 do not know their filter. */
    @Test
    void anUnknownTokenWhoseFilterIsNotKnownIsReadAgainFromItsTime() {
        bench.settle();
        ClusterTime time = source.commit("orders", "a");
        bench.settle();
        source.watch("orders");
        source.failNext(new SourceFailure.TokenUnknown("280"));
        bench.restart().settle();
        assertThat(source.opened()).last().isEqualTo(new StartPoint.At(time));
        assertThat(bench.counters().gapsDetected()).isZero();
    }

    @Test
    void anUnknownTokenWhoseTimeIsGoneIsAGap() {
        bench.settle();
        source.commit("orders", "a");
        bench.settle();
        source.rollOver();
        source.failNext(new SourceFailure.TokenUnknown("280"));
        bench.restart().settle().pass(Duration.ofSeconds(1)).settle();
        assertThat(bench.operations()).containsExactly(Operation.INSERT, Operation.RESYNC);
        assertThat(bench.counters().gapsDetected()).isOne();
    }

    /** A checkpoint never runs ahead of safety, also when a shutdown interrupts capture before a full queue. */
    @Test
    void aShutdownWhileTheQueueIsFullSavesNoPositionBehindWhatWasNotStored() {
        bench.settle();
        source.commit("orders", "a");
        bench.settle();
        source.commit("orders", "b", "c");
        bench.appender.interruptNext();
        assertThatThrownBy(() -> bench.loop.step()).isInstanceOf(InterruptedException.class);
        bench.loop.close();
        bench.restart().settle();
        assertThat(bench.documents()).containsExactly("a", "b", "c");
    }

    @Test
    void aResyncThatAShutdownKeptFromTheLogIsToldAfterTheRestart() {
        bench.settle();
        source.commit("orders", "a");
        bench.settle();
        source.commit("orders", "lost");
        source.rollOver();
        bench.appender.interruptNext();
        bench.restart();
        assertThatThrownBy(() -> {
                    for (int k = 0; k < 20; k++) {
                        bench.loop.step();
                        bench.pass(Duration.ofSeconds(1));
                    }
                })
                .isInstanceOf(InterruptedException.class);
        bench.loop.close();
        bench.restart().settle().pass(Duration.ofSeconds(1)).settle();
        assertThat(bench.operations()).containsExactly(Operation.INSERT, Operation.RESYNC);
    }

    /** Another deployment may have passed the position by the time of the restart, and then hides what was written before. */
    @Test
    void aGapIsToldAlsoWhenTheSourceLooksWholeAfterARestart() {
        foundAGap();
        bench.restart().settle();
        source.commit("orders", "b");
        bench.settle();
        assertThat(bench.operations()).containsExactly(Operation.INSERT, Operation.RESYNC, Operation.INSERT);
        bench.restart().settle();
        assertThat(bench.operations()).containsOnlyOnce(Operation.RESYNC);
    }

    @Test
    void aGapIsToldAlsoWhenTheSourceLooksWholeAfterAFailureOfTheLog() {
        foundAGap();
        bench.appender.failNext(new LinkageError("on purpose"));
        bench.pass(Duration.ofSeconds(1)).settle().pass(Duration.ofSeconds(1)).settle();
        assertThat(bench.operations()).containsExactly(Operation.INSERT, Operation.RESYNC);
    }

    @Test
    void captureThatStoppedAtAGapStaysStoppedAfterARestartUntilSomebodyDecides() {
        bench.with(bench.settings.withOnGap(OnGap.STOP));
        foundAGap();
        bench.restart().settle();
        assertThat(bench.status()).isEqualTo(CaptureStatus.STOPPED_BY_GAP);
        assertThat(bench.operations()).containsExactly(Operation.INSERT);
        bench.with(bench.settings.withOnGap(OnGap.RESYNC)).settle();
        assertThat(bench.operations()).containsExactly(Operation.INSERT, Operation.RESYNC);
    }

    /** The disk is lost between the gap and its RESYNC. */
    @Test
    void aGapIsToldFromTheMirrorToo() {
        foundAGap();
        InMemoryCheckpoints mirror = new InMemoryCheckpoints();
        mirror.save("orders_db", bench.log.state().checkpoint());
        Bench anew = new Bench().with(mirror).settle();
        assertThat(anew.operations()).containsExactly(Operation.RESYNC);
    }

    private void foundAGap() {
        bench.settle();
        source.commit("orders", "a");
        bench.settle();
        source.failNext(new SourceFailure.HistoryLost("the primary is behind the position"));
        bench.restart().steps(1);
        assertThat(bench.counters().gapsDetected()).isOne();
    }

    /** As when the JVM has no memory left for the log line either: what the stream brought last is gone, so it must not go on. */
    @Test
    void aStreamIsNotReadOnAfterAFailureThatCouldNotEvenBeLogged() {
        bench.settle();
        source.commit("orders", "a");
        bench.appender.failNext(new LinkageError() {
            @Override
            public String getMessage() {
                throw new StackOverflowError("while the failure is told");
            }
        });
        assertThatThrownBy(() -> bench.steps(3)).isInstanceOf(StackOverflowError.class);
        source.commit("orders", "b");
        bench.pass(Duration.ofSeconds(1)).settle();
        assertThat(bench.documents()).containsExactly("a", "b");
    }

    /** Row 5: 136 reopens from the token. */
    @Test
    void aLostPositionReopensFromTheTokenAtOnce() {
        bench.settle();
        source.commit("orders", "a");
        bench.settle();
        source.failNext(new SourceFailure.PositionLost("136"));
        bench.steps(2);
        source.commit("orders", "b");
        bench.settle();
        assertThat(bench.documents()).containsExactly("a", "b");
        assertThat(source.opened()).last().isInstanceOf(StartPoint.After.class);
        assertThat(bench.counters().gapsDetected()).isZero();
    }

    @Test
    void aBadTokenStopsAndSaysWhatToDo() {
        bench.settle();
        source.failNext(new SourceFailure.BadToken("260"));
        bench.restart().settle();
        assertThat(bench.status()).isEqualTo(CaptureStatus.MISCONFIGURED);
        assertThat(bench.loop.state().reason()).contains("same deployment");
        assertThat(source.opened()).hasSize(2);
    }

    /** Row 13: behind an invalidate the stream is opened again after its token. */
    @Test
    void captureGoesOnBehindAnInvalidate() {
        bench.settle();
        source.commit("orders", "a");
        source.control(Operation.DROP, "");
        source.control(Operation.INVALIDATE, "");
        source.commit("orders", "b");
        bench.settle();
        assertThat(bench.operations())
                .containsExactly(Operation.INSERT, Operation.DROP, Operation.INVALIDATE, Operation.INSERT);
        assertThat(bench.counters().reconnects()).isOne();
    }

    @Test
    void aSilentCloseIsReopenedBehindItAndConsumersAreToldToResync() {
        bench.settle();
        source.commit("orders", "a");
        bench.settle();
        source.closeSilently();
        bench.settle();
        source.commit("orders", "b");
        bench.settle();
        assertThat(bench.operations()).containsExactly(Operation.INSERT, Operation.RESYNC, Operation.INSERT);
        assertThat(source.opened()).last().isInstanceOf(StartPoint.At.class);
        assertThat(bench.status()).isEqualTo(CaptureStatus.HEALTHY);
    }

    @Test
    void aSilentCloseIsAGap() {
        bench.settle();
        source.closeSilently();
        bench.settle();
        assertThat(bench.counters().gapsDetected()).isOne();
    }

    @Test
    void aSilentCloseStopsCaptureWhereThatIsThePolicyAndIsAResyncWhenSomebodyDecidedSo() {
        bench.with(bench.settings.withOnGap(OnGap.STOP)).settle();
        source.commit("orders", "a");
        bench.settle();
        source.closeSilently();
        bench.settle();
        assertThat(bench.status()).isEqualTo(CaptureStatus.STOPPED_BY_GAP);
        assertThat(bench.loop.state().reason()).contains("without saying why").contains("set on_gap to resync");
        assertThat(bench.counters().gapsDetected()).isOne();
        assertThat(bench.operations()).containsExactly(Operation.INSERT);
        source.closeSilently();
        bench.with(bench.settings.withOnGap(OnGap.RESYNC)).settle();
        assertThat(bench.operations()).containsExactly(Operation.INSERT, Operation.RESYNC);
    }

    /** What a wider filter shows from before the head cannot be stored in order: told, not silent, and no dead end. */
    @Test
    void aFilterWidenedAfterACrashIsAResyncAndCaptureGoesOn() {
        source.watch("orders");
        bench.settle();
        threeOrdersAndInvoicesBetween();
        bench.killedAfter(3);
        assertThat(bench.documents()).containsExactly("o1", "o2", "o3");
        source.watch("orders", "invoices");
        bench.settle().pass(Duration.ofSeconds(1)).settle();
        source.commit("invoices", "i9");
        bench.settle();
        assertThat(bench.operations().subList(0, 4))
                .containsExactly(Operation.INSERT, Operation.INSERT, Operation.INSERT, Operation.RESYNC);
        assertThat(bench.documents()).containsExactly("o1", "o2", "o3", "i3", "o4", "i9");
        assertThat(bench.counters().gapsDetected()).isOne();
        assertThat(bench.status()).isEqualTo(CaptureStatus.HEALTHY);
        bench.restart().settle();
        assertThat(bench.operations()).containsOnlyOnce(Operation.RESYNC);
    }

    @Test
    void aFilterWidenedAfterACrashStopsCaptureWhereThatIsThePolicy() {
        source.watch("orders");
        bench.with(bench.settings.withOnGap(OnGap.STOP)).settle();
        threeOrdersAndInvoicesBetween();
        bench.killedAfter(3);
        source.watch("orders", "invoices");
        bench.settle().pass(Duration.ofSeconds(1)).settle();
        assertThat(bench.status()).isEqualTo(CaptureStatus.STOPPED_BY_GAP);
        assertThat(bench.loop.state().reason()).contains("widened");
        assertThat(bench.documents()).containsExactly("o1", "o2", "o3");
    }

    /** The saved position has passed it: a stream opened there again would never show it. */
    @Test
    void aChangeThatComesAfterItsTimeWasPassedIsAResyncAndCaptureGoesOn() {
        ClusterTime passed = passedByPositionAndHead();
        source.commitLate(passed, "orders", "late");
        bench.settle().pass(Duration.ofSeconds(1)).settle();
        source.commit("orders", "c");
        bench.settle();
        assertThat(bench.operations())
                .containsExactly(Operation.INSERT, Operation.INSERT, Operation.RESYNC, Operation.INSERT);
        assertThat(bench.documents()).containsExactly("a", "b", "c");
        assertThat(bench.counters().gapsDetected()).isOne();
        assertThat(bench.status()).isEqualTo(CaptureStatus.HEALTHY);
    }

    @Test
    void aChangeThatComesAfterItsTimeWasPassedStopsCaptureWhereThatIsThePolicy() {
        bench.with(bench.settings.withOnGap(OnGap.STOP));
        ClusterTime passed = passedByPositionAndHead();
        source.commitLate(passed, "orders", "late");
        bench.settle().pass(Duration.ofSeconds(1)).settle();
        assertThat(bench.status()).isEqualTo(CaptureStatus.STOPPED_BY_GAP);
        assertThat(bench.documents()).containsExactly("a", "b");
    }

    private ClusterTime passedByPositionAndHead() {
        bench.settle();
        ClusterTime passed = source.commit("orders", "a");
        source.commit("orders", "b");
        bench.settle();
        source.otherWrites();
        bench.pass(Duration.ofSeconds(1)).settle();
        assertThat(bench.log.state().checkpoint().time())
                .isGreaterThan(bench.log.state().head().id().time());
        return passed;
    }

    /** The RESYNC has the opening position's time, and the head with it. */
    @Test
    void aStreamWhoseOpeningPositionIsLaterThanItsNextEventIsNoDeadEnd() {
        bench.settle();
        source.commit("orders", "a");
        bench.settle();
        source.commit("orders", "lost");
        source.rollOver();
        source.otherWrites();
        bench.restart().settle().pass(Duration.ofSeconds(1)).settle();
        ClusterTime head = bench.log.state().head().id().time();
        source.commitLate(new ClusterTime(head.value() - 1), "orders", "in flight");
        bench.settle().pass(Duration.ofSeconds(1)).settle();
        source.commit("orders", "b");
        bench.settle();
        assertThat(bench.operations())
                .containsExactly(Operation.INSERT, Operation.RESYNC, Operation.RESYNC, Operation.INSERT);
        assertThat(bench.documents()).containsExactly("a", "b");
        assertThat(bench.status()).isEqualTo(CaptureStatus.HEALTHY);
    }

    @Test
    void aFilterNarrowedAfterACrashIsHarmless() {
        bench.settle();
        threeOrdersAndInvoicesBetween();
        bench.killedAfter(5);
        source.watch("orders");
        bench.settle().pass(Duration.ofSeconds(1)).settle();
        assertThat(bench.documents()).containsExactly("o1", "i1", "o2", "i2", "o3", "o4");
        assertThat(bench.counters().gapsDetected()).isZero();
        assertThat(bench.operations()).doesNotContain(Operation.RESYNC);
    }

    private void threeOrdersAndInvoicesBetween() {
        source.commit("orders", "o1");
        source.commit("invoices", "i1");
        source.commit("orders", "o2");
        source.commit("invoices", "i2");
        source.commit("orders", "o3");
        source.commit("invoices", "i3");
        source.commit("orders", "o4");
    }

    @Test
    void neitherEventsNorAMovingPositionIsAStallThatReconnects() {
        bench.settle();
        int opened = source.opened().size();
        bench.pass(Duration.ofMinutes(6)).steps(1);
        assertThat(bench.status()).isEqualTo(CaptureStatus.STALLED);
        assertThat(bench.counters().stalls()).isOne();
        bench.steps(2);
        assertThat(source.opened()).hasSizeGreaterThan(opened);
        assertThat(bench.status()).isEqualTo(CaptureStatus.STALLED);
        source.commit("orders", "a");
        bench.settle();
        assertThat(bench.status()).isEqualTo(CaptureStatus.HEALTHY);
        assertThat(bench.documents()).containsExactly("a");
    }

    @Test
    void aSourceThatIsAwayIsTriedAtOnceThenMoreAndMoreRarelyUntilTheBreakerOpens() {
        bench.settle();
        source.commit("orders", "a");
        bench.settle();
        source.failNext(AWAY, AWAY, AWAY, AWAY, AWAY, AWAY);
        bench.steps(2);
        assertThat(bench.status()).isEqualTo(CaptureStatus.RETRYING);
        Duration wait = bench.step();
        assertThat(wait).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
        for (int k = 0; k < 3; k++) {
            bench.pass(bench.step()).steps(1);
        }
        assertThat(bench.status()).isEqualTo(CaptureStatus.BREAKER_OPEN);
        assertThat(bench.step()).isEqualTo(Duration.ofSeconds(30));
        bench.pass(Duration.ofSeconds(30)).steps(1);
        assertThat(bench.step()).isEqualTo(Duration.ofSeconds(30));
        source.commit("orders", "b");
        bench.pass(Duration.ofSeconds(30)).settle();
        assertThat(bench.status()).isEqualTo(CaptureStatus.HEALTHY);
        assertThat(bench.documents()).containsExactly("a", "b");
    }

    @Test
    void aSourceThatOpensButNeverAnswersIsBackedOffFromToo() {
        bench.settle();
        for (int k = 0; k < 40; k++) {
            source.failNext(AWAY);
            bench.steps(3);
        }
        assertThat(bench.counters().connectionFailures()).isLessThan(8);
    }

    @Test
    void aMisconfiguredSourceIsSaidToBeThatAndRecoversWhenItIsRepaired() {
        source.failNext(new SourceFailure.Misconfigured("not authorized"));
        bench.steps(1);
        assertThat(bench.status()).isEqualTo(CaptureStatus.MISCONFIGURED);
        assertThat(bench.loop.state().reason()).contains("not authorized");
        bench.settle();
        assertThat(bench.status()).isEqualTo(CaptureStatus.HEALTHY);
    }

    @Test
    void whatALogDidNotTakeIsReadFromTheSourceAgain() {
        bench.settle();
        source.commit("orders", "a");
        bench.settle();
        bench.appender.failNow();
        source.commit("orders", "b");
        bench.steps(1);
        assertThat(bench.status()).isEqualTo(CaptureStatus.RETRYING);
        source.commit("orders", "c");
        bench.settle();
        assertThat(bench.documents()).containsExactly("a", "b", "c");
    }

    @Test
    void aTransactionOverSeveralBatchesIsWholeAndInOrderAfterACrashInItsMiddle() {
        bench.settle();
        source.batchSize(2);
        source.commit("orders", "a", "b", "c", "d", "e");
        bench.steps(2);
        assertThat(bench.documents()).hasSizeBetween(1, 4);
        bench.restart().settle();
        assertThat(bench.documents()).containsExactly("a", "b", "c", "d", "e");
    }

    /** Row 18: the mirror finds the place again; what consumers may ask for is read again. */
    @Test
    void aLostDiskIsRefilledFromTheOldestThatIsWorthKeeping() {
        source.commit("orders", "a");
        bench.with(bench.settings.withStart(Start.EARLIEST)).settle();
        Checkpoint reached = bench.log.state().checkpoint();
        source.commit("orders", "b");

        Bench lost = new Bench();
        InMemoryCheckpoints mirror = new InMemoryCheckpoints();
        mirror.save("orders_db", reached);
        CaptureLoop loop = new CaptureLoop(
                lost.settings,
                source,
                lost.log,
                lost.appender,
                mirror,
                () -> Instant.ofEpochSecond(1010),
                () -> 0,
                new Random(1));
        step(loop, 10);
        assertThat(lost.documents()).containsExactly("a", "b");
        assertThat(lost.operations()).doesNotContain(Operation.RESYNC);
    }

    @Test
    void aLostDiskWhoseMirrorIsOlderThanTheSourceIsAGap() {
        bench.settle();
        Checkpoint reached = bench.log.state().checkpoint();
        source.commit("orders", "lost");
        source.rollOver();
        InMemoryCheckpoints mirror = new InMemoryCheckpoints();
        mirror.save("orders_db", reached);
        Bench lost = new Bench();
        CaptureLoop loop = new CaptureLoop(
                lost.settings,
                source,
                lost.log,
                lost.appender,
                mirror,
                () -> Instant.ofEpochSecond(1010),
                () -> 0,
                new Random(1));
        step(loop, 10);
        assertThat(lost.operations()).containsExactly(Operation.RESYNC);
        assertThat(loop.state().counters().gapsDetected()).isOne();
    }

    @Test
    void anUnreachableMirrorHoldsUpAFirstStartBecauseNowCouldBeWrong() {
        FailingCheckpoints mirror = new FailingCheckpoints();
        bench.with(mirror).steps(1);
        assertThat(source.opened()).isEmpty();
        assertThat(bench.status()).isEqualTo(CaptureStatus.RETRYING);
        mirror.failing = false;
        bench.settle();
        assertThat(bench.status()).isEqualTo(CaptureStatus.HEALTHY);
    }

    @Test
    void anUnreachableMirrorDoesNotHoldUpALogThatKnowsItsPlace() {
        bench.settle();
        bench.with(new FailingCheckpoints()).settle();
        source.commit("orders", "a");
        bench.settle();
        assertThat(bench.documents()).containsExactly("a");
    }

    @Test
    void lagGrowsWhileTheSourceIsAwayAndIsGoneWhenItAnswers() {
        bench.settle();
        source.failNext(AWAY, AWAY, AWAY, AWAY, AWAY, AWAY);
        bench.pass(Duration.ofSeconds(40)).steps(3);
        assertThat(bench.loop.state().lag()).isGreaterThanOrEqualTo(Duration.ofSeconds(40));
        assertThat(bench.status().isHealthy()).isFalse();
    }

    /** Until the first reply nothing is known but how far the log is. */
    @Test
    void lagAfterARestartIsThatOfTheLogUntilTheSourceAnswers() {
        bench.settle();
        source.commit("orders", "a");
        bench.settle().pass(Duration.ofMinutes(10)).restart();
        assertThat(bench.loop.state().lag()).isGreaterThanOrEqualTo(Duration.ofMinutes(10));
        source.failNext(AWAY);
        bench.steps(1);
        assertThat(bench.loop.state().lag()).isGreaterThanOrEqualTo(Duration.ofMinutes(10));
        bench.settle();
        assertThat(bench.loop.state().lag()).isZero();
        assertThat(bench.status()).isEqualTo(CaptureStatus.HEALTHY);
    }

    /** A merged stream brings nothing while one of its streams waits for a server that is away. */
    @Test
    void anEmptyReadIsNoAnswerWhileTheSourceIsStillWaitedFor() {
        bench.settle();
        source.failNext(AWAY);
        bench.steps(1);
        source.waiting(Duration.ofSeconds(7));
        bench.pass(Duration.ofSeconds(1)).settle();
        assertThat(bench.status()).isEqualTo(CaptureStatus.RETRYING);
        assertThat(bench.loop.state().lag()).isGreaterThanOrEqualTo(Duration.ofSeconds(7));
        source.waiting(Duration.ZERO);
        bench.settle();
        assertThat(bench.status()).isEqualTo(CaptureStatus.HEALTHY);
        assertThat(bench.loop.state().lag()).isZero();
    }

    @Test
    void lagOfALogThatNeverCapturedAnythingCountsFromItsStart() {
        source.failNext(AWAY, AWAY);
        bench.steps(1).pass(Duration.ofMinutes(2));
        assertThat(bench.loop.state().lag()).isEqualTo(Duration.ofMinutes(2));
    }

    /** Behind a RESYNC nothing old may come: to count it as a repeat would be a silent loss. */
    @Test
    void aChangeFromBeforeTheLogsBeginningIsALossAfterAResync() {
        source.otherWrites();
        source.otherWrites();
        bench.settle();
        source.commit("orders", "a");
        bench.settle();
        source.commit("orders", "lost");
        source.rollOver();
        bench.restart().settle().pass(Duration.ofSeconds(1)).settle();
        assertThat(bench.operations()).containsExactly(Operation.INSERT, Operation.RESYNC);
        ClusterTime beginning = bench.log.state().evictedThrough().position().time();
        source.commitLate(new ClusterTime(beginning.value() - 1), "orders", "of a deployment whose time is behind");
        bench.settle().pass(Duration.ofSeconds(1)).settle();
        assertThat(bench.counters().gapsDetected()).isEqualTo(2);
        assertThat(bench.operations()).containsExactly(Operation.INSERT, Operation.RESYNC, Operation.RESYNC);
    }

    private static void step(CaptureLoop loop, int count) {
        try {
            for (int k = 0; k < count; k++) {
                loop.step();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
