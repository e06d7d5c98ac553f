package dev.sluice.capture;

import dev.sluice.capture.SourceBatch.Ending;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.log.EventLog;
import dev.sluice.log.EventLogException;
import dev.sluice.log.EventRecord;
import dev.sluice.log.OutOfOrderException;
import dev.sluice.model.ClusterTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Reads one backend's change stream into its event log, for ever: opens where the log left off, hands every batch over
 * together with the position behind it, and answers each kind of failure in the one way that loses nothing silently.
 *
 * <p>{@link #step} does one bounded piece of work and says how long to wait before the next; a {@link CaptureRunner}
 * calls it on a thread, tests call it directly. The creator closes source, log and mirror.
 */
public final class CaptureLoop implements AutoCloseable {
    /** The answer of {@link #step} when there is nothing left to do but to wait for a person. */
    public static final Duration FOREVER = Duration.ofDays(365);

    private final CaptureSettings settings;
    private final ChangeSource source;
    private final EventLog log;
    private final LogAppender appender;
    private final @Nullable CheckpointStore mirror;
    private final InstantSource wall;
    private final LongSupplier nanos;
    private final CaptureState state;
    private final CaptureJournal journal;
    private final ReconnectPacing pacing;

    private @Nullable ChangeCursor cursor;
    private boolean justOpened;
    private boolean stopped;
    private StartPoint attempted = new StartPoint.Now();
    /** Where to open next if not at the position. */
    private @Nullable StartPoint next;
    /** Behind everything that was submitted; null when only the log knows. */
    private @Nullable Checkpoint position;
    /** A position behind which nothing came, not yet submitted. */
    private @Nullable Checkpoint idle;

    /** The last position that the open stream was told to be durable. */
    private @Nullable Checkpoint settled;

    private boolean resyncDue;
    /** A RESYNC was stored by this loop. */
    private boolean resynced;

    private boolean doubtful;
    private @Nullable ClusterTime rescanThrough;
    private boolean mirrorCompared;
    private long submittedAt;
    private long progressAt;

    /** @param mirror where the checkpoint is kept besides the log; null for nowhere */
    public CaptureLoop(
            CaptureSettings settings,
            ChangeSource source,
            EventLog log,
            LogAppender appender,
            @Nullable CheckpointStore mirror,
            InstantSource wall,
            LongSupplier nanos,
            RandomGenerator random) {
        this.settings = settings;
        this.source = source;
        this.log = log;
        this.appender = appender;
        this.mirror = mirror;
        this.wall = wall;
        this.nanos = nanos;
        this.state =
                new CaptureState(settings.backend(), settings.lagThreshold(), wall, captured(log), source::waiting);
        this.journal = new CaptureJournal(state);
        source.onUnreachable(journal::unreachable);
        this.pacing = new ReconnectPacing(settings.reconnect(), random);
    }

    private static @Nullable Instant captured(EventLog log) {
        return log.state().started()
                ? Instant.ofEpochMilli(log.state().capturedThrough().toEpochMillis())
                : null;
    }

    public CaptureState state() {
        return state;
    }

    /** One read or one attempt to connect. Returns how long to wait until the next step; zero while there is work. */
    public Duration step() throws InterruptedException {
        if (stopped) {
            return FOREVER;
        }
        Duration wait = pacing.remaining(nanos.getAsLong());
        if (!wait.isZero()) {
            return wait;
        }
        long began = nanos.getAsLong();
        boolean goesOn = false;
        try {
            goesOn = advance();
        } catch (InterruptedException stopping) {
            // What was being handed over may not have arrived: no position behind it may be saved at the end.
            forgetSubmitted();
            throw stopping;
        } catch (Throwable failed) {
            // The log refused, the source sent something unreadable, or the JVM failed: only what is on disk counts.
            forgetSubmitted();
            tryAgain(CaptureStatus.RETRYING, failed);
        } finally {
            // Whatever else fails: what a stream brought last may be lost, so one that failed is never read on. It
            // comes after
            // the failure was recorded, because closing may take its time at a source that is away.
            if (!goesOn) {
                closeCursor();
            }
        }
        return untilNextRead(began);
    }

    private Duration untilNextRead(long began) {
        ChangeCursor open = cursor;
        long left = open == null ? 0 : open.interval().toNanos() - (nanos.getAsLong() - began);
        return left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
    }

    /** Whether the stream may be read on. */
    private boolean advance() throws InterruptedException {
        try {
            ChangeCursor open = cursor;
            return open == null ? connect() : read(open);
        } catch (SourceException failed) {
            answer(failed);
        } catch (CheckpointException failed) {
            tryAgain(CaptureStatus.RETRYING, failed);
        } catch (OutOfOrderException late) {
            answer(late);
        }
        return false;
    }

    private boolean connect() throws SourceException, InterruptedException {
        if ((doubtful && !makeSure()) || (resyncDue && !isGapOnDisk())) {
            return false;
        }
        StartPoint from = next != null ? next : behindTheLog();
        if (from == null) {
            return false;
        }
        attempted = from;
        cursor = source.open(from);
        settled = null;
        justOpened = true;
        progressAt = nanos.getAsLong();
        journal.opened(from);
        return true;
    }

    /** After a write that failed a log knows what it has when it is written to again; until then it must not be asked. */
    private boolean makeSure() throws InterruptedException {
        appender.submit(List.of(), null);
        doubtful = !appender.flush();
        return !doubtful;
    }

    /** Remembers a gap before anything else is read: soon the source may look as if there had been none. */
    private boolean isGapOnDisk() throws InterruptedException {
        Checkpoint stored = log.state().checkpoint();
        if (OwedResync.isOwed(stored) || !log.state().started()) {
            return true;
        }
        Checkpoint last = position != null ? position : stored;
        Checkpoint owed = OwedResync.isOwed(last)
                ? last
                : OwedResync.after(last, log.state().capturedThrough());
        position = owed;
        idle = null;
        appender.submit(List.of(), owed);
        return appender.flush();
    }

    /** Null when capture stopped instead. */
    private @Nullable StartPoint behindTheLog() throws SourceException, InterruptedException {
        Checkpoint known = position != null ? position : log.state().checkpoint();
        if (known != null && OwedResync.isOwed(known)) {
            return behindTheGap(known);
        }
        if (known != null) {
            compareWithMirror(known);
            position = known;
            return new StartPoint.After(known);
        }
        if (log.state().started()) {
            // Killed within its very first batch: all up to the head is there, and the head's time repeats whole.
            return new StartPoint.At(log.state().head().id().time());
        }
        Optional<Checkpoint> mirrored = mirror == null ? Optional.empty() : mirror.load(settings.backend());
        if (mirrored.isPresent() && OwedResync.isOwed(mirrored.get())) {
            return behindTheGap(mirrored.get());
        }
        StartPoint from = FirstStart.choose(source, settings, mirrored, wall.instant());
        if (from == null) {
            stop(
                    CaptureStatus.MISCONFIGURED,
                    "nothing is known about how far this backend was captured, and start is stop: restore its event log"
                            + " or its mirror, or set start to now or earliest");
        } else if (mirrored.isPresent()) {
            journal.refilling(from, mirrored.get().time());
        }
        return from;
    }

    private @Nullable StartPoint behindTheGap(Checkpoint owed) throws InterruptedException {
        carryOut(FailureAnswer.toLoss(
                "a gap was found before, behind " + owed.time() + ", and consumers were not told yet",
                new StartPoint.Now(),
                settings.onGap()));
        return next;
    }

    /** Once per process, for the operator's eyes only: the log itself decides where to go on. */
    private void compareWithMirror(Checkpoint local) {
        if (mirrorCompared) {
            return;
        }
        mirrorCompared = true;
        journal.tokenLoaded(local, "event log");
        if (mirror != null) {
            try {
                mirror.load(settings.backend())
                        .filter(mirrored -> mirrored.time().compareTo(local.time()) > 0)
                        .ifPresent(mirrored -> journal.headBelowMirror(local.time(), mirrored.time()));
            } catch (CheckpointException unreachable) {
                journal.mirrorFailed(String.valueOf(unreachable.getMessage()));
            }
        }
    }

    private boolean read(ChangeCursor open) throws SourceException, InterruptedException {
        EventLogException logFailure = appender.failure();
        if (logFailure != null) {
            throw logFailure;
        }
        if (!settle(open)) {
            return true;
        }
        SourceBatch batch = open.next();
        boolean moved = moved(batch);
        submit(batch);
        // One of several streams may still wait for its reply: then an empty batch is no answer.
        Duration waiting = source.waiting();
        state.read(batch, justOpened, waiting);
        if (waiting.isZero()) {
            answered(batch);
        }
        justOpened = false;
        boolean goesOn = !isStalled(moved, waiting);
        goesOn &= !hasEnded(batch);
        if (goesOn) {
            settle(open);
        }
        return goesOn;
    }

    private void answered(SourceBatch batch) {
        journal.answered();
        if (!justOpened || !batch.events().isEmpty()) {
            pacing.succeeded();
        }
    }

    /**
     * Tells a source that forgets what it may forget. Only what the log says it has counts: what was submitted may still be
     * lost, and a mirrored position belongs to a log that was.
     *
     * @return false when it must not be read on, since something is not on disk yet
     */
    private boolean settle(ChangeCursor open) throws SourceException, InterruptedException {
        if (!open.forgets()) {
            return true;
        }
        if (!appender.flush()) {
            return false;
        }
        Checkpoint stored = OwedResync.position(log.state().checkpoint());
        if (stored != null && !stored.equals(settled)) {
            open.durable(stored);
            settled = stored;
        }
        return true;
    }

    private boolean moved(SourceBatch batch) {
        Checkpoint reached = batch.reached();
        Checkpoint before = position;
        return !batch.events().isEmpty()
                || (reached != null && (before == null || !reached.token().equals(before.token())));
    }

    private void submit(SourceBatch batch) throws SourceException, InterruptedException {
        Checkpoint reached = batch.reached() == null ? null : batch.reached().withFilter(source.filter());
        List<EventRecord> events = batch.events();
        boolean resync = false;
        if (resyncDue && reached != null) {
            requirePassed(reached.time());
            events = ResyncEvent.before(batch, reached, log.state().head().id().time());
            resync = true;
        } else if (resynced) {
            requireNothingOld(events);
        }
        if (reached != null) {
            idle = reached.equals(position) ? idle : reached;
            position = reached;
            next = null;
        }
        countRescanned(events);
        if (!events.isEmpty() || idleIsDue()) {
            handOver(events, reached != null ? reached : idle);
        }
        if (resync) {
            journal.resynced(events.getFirst().id());
            resyncDue = false;
            resynced = true;
        }
    }

    /**
     * A log's times never go back: a source whose own time is behind the log (another deployment, a restored copy) is captured
     * again once it has passed it. Consumers that stand at the log's last position would not see what is stored before it.
     */
    private void requirePassed(ClusterTime time) throws SourceException {
        ClusterTime through = log.state().capturedThrough();
        if (attempted instanceof StartPoint.Now && time.compareTo(through) < 0) {
            throw new SourceException(new SourceFailure.Retryable("the source's time " + time
                    + " is behind what was captured from here before, " + through
                    + ": capture goes on, with a RESYNC, when the source's time has passed it"));
        }
    }

    /** The log takes what is older than its beginning for a repeat; behind a RESYNC it is none. */
    private void requireNothingOld(List<EventRecord> events) {
        ClusterTime beginning = log.state().evictedThrough().position().time();
        for (EventRecord event : events) {
            if (event.clusterTime().compareTo(beginning) < 0) {
                throw new OutOfOrderException(
                        "Event " + event.id() + " is older than the log's beginning, and came after a RESYNC.", null);
            }
        }
    }

    private boolean idleIsDue() {
        boolean firstOfAll = !log.state().started();
        return idle != null && (firstOfAll || settings.checkpoints().isDue(nanos.getAsLong() - submittedAt, 0));
    }

    private void handOver(List<EventRecord> events, @Nullable Checkpoint reached) throws InterruptedException {
        idle = null;
        appender.submit(events, reached);
        submittedAt = nanos.getAsLong();
        state.counters().eventsIngested.addAndGet(events.size());
        if (reached != null) {
            journal.tokenSubmitted(reached);
        }
    }

    private void countRescanned(List<EventRecord> events) {
        ClusterTime through = rescanThrough;
        if (through == null) {
            return;
        }
        for (EventRecord event : events) {
            if (event.clusterTime().compareTo(through) > 0) {
                rescanThrough = null;
                return;
            }
            state.counters().rescanned.incrementAndGet();
        }
    }

    private boolean isStalled(boolean moved, Duration waiting) {
        long now = nanos.getAsLong();
        if (moved || !waiting.isZero()) {
            progressAt = now;
        }
        if (now - progressAt > settings.maxGap().toNanos()) {
            journal.stalled(Duration.ofNanos(now - progressAt));
            return true;
        }
        if (waiting.isZero() && (moved || state.status() != CaptureStatus.STALLED)) {
            state.is(CaptureStatus.HEALTHY, "");
        }
        return false;
    }

    private boolean hasEnded(SourceBatch batch) throws InterruptedException {
        switch (batch.ending()) {
            case Ending.Open goesOn -> {}
            case Ending.Invalidated gone -> journal.invalidated();
            case Ending.SilentlyClosed closed ->
                carryOut(FailureAnswer.toLoss(
                        "the source ended the stream at " + closed.at() + " without saying why",
                        new StartPoint.At(new ClusterTime(closed.at().value() + 1)),
                        settings.onGap()));
        }
        return !batch.isOpen();
    }

    private void answer(SourceException failed) throws InterruptedException {
        Checkpoint known = position != null ? position : log.state().checkpoint();
        FailureAnswer answer = FailureAnswer.to(
                failed.failure(),
                attempted,
                known,
                filterMayDiffer(),
                log.state().started(),
                settings.onGap());
        carryOut(answer);
        if (answer.isFailure()) {
            tryAgain(answer instanceof FailureAnswer.TryAgain again ? again.status() : CaptureStatus.RETRYING, failed);
        }
    }

    /** Whether the token that the stream was opened with may be one of another filter; checkpoints of 0.1 do not know theirs. */
    private boolean filterMayDiffer() {
        long before =
                attempted instanceof StartPoint.After after ? after.checkpoint().filter() : Checkpoint.UNKNOWN_FILTER;
        return before == Checkpoint.UNKNOWN_FILTER || before != source.filter();
    }

    /**
     * What comes too late to be stored in order counts as missing, whyever it does: opened again, the stream may not show
     * it any more. Capture goes on at the head, whose time repeats whole.
     */
    private void answer(OutOfOrderException late) throws InterruptedException {
        forgetSubmitted();
        FailureAnswer answer = FailureAnswer.toLoss(
                "the source has changes from before the log's head that the log does not have, most likely because the"
                        + " filter was widened after a crash (" + late.getMessage() + ")",
                new StartPoint.At(log.state().head().id().time()),
                settings.onGap());
        carryOut(answer);
        if (answer.isFailure()) {
            tryAgain(CaptureStatus.RETRYING, late);
        }
    }

    /** Before anything is said about it: what is decided must hold also when a log line fails. */
    private void carryOut(FailureAnswer answer) throws InterruptedException {
        switch (answer) {
            case FailureAnswer.TryAgain again -> {}
            case FailureAnswer.Leave leave -> stopped = true;
            case FailureAnswer.StandBy held -> journal.standingBy(held.sentence());
            case FailureAnswer.Rescan rescan -> {
                rescanThrough = log.state().capturedThrough();
                next = rescan.from();
                journal.rescanning(rescan);
            }
            case FailureAnswer.Resync resync -> {
                next = resync.from();
                foundGap(resync.reason());
            }
            case FailureAnswer.Stop stop -> {
                if (stop.status() == CaptureStatus.STOPPED_BY_GAP) {
                    foundGap(stop.sentence());
                }
                stop(stop.status(), stop.sentence());
            }
        }
    }

    private void foundGap(String reason) throws InterruptedException {
        resyncDue = true;
        journal.gap(reason, log.state().capturedThrough());
        // Tried again before the next stream is opened.
        isGapOnDisk();
    }

    private void tryAgain(CaptureStatus status, Throwable cause) {
        long now = nanos.getAsLong();
        pacing.failed(now);
        boolean open = status == CaptureStatus.RETRYING && pacing.isOpen();
        journal.failed(
                sentence(cause),
                open ? CaptureStatus.BREAKER_OPEN : status,
                pacing.failures(),
                pacing.remaining(now),
                cause);
    }

    private static String sentence(Throwable cause) {
        if (cause instanceof SourceException source) {
            return source.failure().detail();
        }
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    /**
     * The positions first: a reset that throws must not leave one behind that is ahead of the log. A gap is not forgotten: it may
     * not be on disk yet.
     */
    private void forgetSubmitted() {
        position = null;
        idle = null;
        next = resyncDue ? next : null;
        resynced = false;
        doubtful = true;
        appender.reset();
    }

    private void stop(CaptureStatus status, String sentence) {
        stopped = true;
        journal.stopped(status, sentence);
    }

    private void closeCursor() {
        ChangeCursor open = cursor;
        cursor = null;
        if (open != null) {
            open.close();
        }
    }

    /** Ends the stream and saves the last position. Called by the thread that steps. Closing twice is harmless. */
    @Override
    public void close() {
        if (state.status() == CaptureStatus.CLOSED) {
            return;
        }
        closeCursor();
        try {
            if (idle != null && appender.failure() == null) {
                handOver(List.of(), idle);
            }
            appender.flush();
        } catch (InterruptedException stoppedWaiting) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException failed) {
            journal.lastPositionLost(failed);
        }
        stop(CaptureStatus.CLOSED, "shut down");
    }
}
