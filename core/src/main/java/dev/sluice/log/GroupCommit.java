package dev.sluice.log;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Between capture and the log: gathers what arrives while a commit runs and writes it as the next one. An idle disk
 * commits at once, so no event ever waits for a timer; a busy one fills its batches.
 *
 * <p>Only what is synced is passed on to the listener (the live tail). When the disk is full or at its floor it stops,
 * says so, holds up capture by its full queue, and goes on by itself when there is room. Any other fault, an {@link Error}
 * included, ends it: the caller of {@link #submit} gets the fault, begins another group commit, and capture starts again
 * from the log's checkpoint.
 *
 * <p>{@link #submit} may be called by any thread; {@link #step} by one, normally that of {@link #start}: a platform
 * thread, since the log's native calls would hold a virtual thread's carrier.
 */
public final class GroupCommit implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);
    private static final Duration IDLE = Duration.ofSeconds(1);
    private static final Duration SPACE_CHECK = Duration.ofMillis(500);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    /** How it fares: what health reports. */
    public sealed interface Status {
        record Running() implements Status {}

        /** The disk is full or at its floor: capture waits. */
        record WaitingForSpace(String reason) implements Status {}

        record Failed(EventLogException cause) implements Status {}

        record Closed() implements Status {}
    }

    private final EventLog log;
    private final GroupCommitLimits limits;
    private final FreeSpace space;
    private final Consumer<Appended> committed;
    private final CommitQueue queue;
    private final AtomicLong commits = new AtomicLong();
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong repeats = new AtomicLong();
    private volatile Status status = new Status.Running();
    private CommitQueue.@Nullable Parcel pending;
    /** Nothing more is stored, also when memory ran out before the fault could be told. */
    private boolean broken;

    private @Nullable Loop writer;

    public GroupCommit(EventLog log, GroupCommitLimits limits, FreeSpace space, Consumer<Appended> committed) {
        this.log = log;
        this.limits = limits;
        this.space = space;
        this.committed = committed;
        this.queue = new CommitQueue(limits);
    }

    /** Commits on a thread of this name until it is closed or fails. */
    public GroupCommit start(Loops loops, String name) {
        writer = loops.loop(name).onPlatformThread().start(this::commitNext);
        return this;
    }

    /**
     * Hands in events, in order, and the checkpoint that stands behind the last of them; waits while the queue is full.
     * They are stored some time after this returns, the checkpoint never before them.
     *
     * @throws EventLogException the fault that ended this
     */
    public void submit(List<EventRecord> records, @Nullable Checkpoint checkpoint) throws InterruptedException {
        int from = 0;
        while (true) {
            int to = from;
            long bytes = 0;
            while (to < records.size() && to - from < limits.batchEvents() && bytes < limits.batchBytes()) {
                bytes += records.get(to++).size();
            }
            boolean last = to == records.size();
            queue.put(new CommitQueue.Parcel(List.copyOf(records.subList(from, to)), bytes, last ? checkpoint : null));
            if (last) {
                return;
            }
            from = to;
        }
    }

    /** Commits one batch, waiting so long for one; true when it did. */
    public boolean step(Duration wait) throws InterruptedException {
        refuseIfBroken();
        try {
            if (pending == null) {
                pending = queue.takeBatch(wait.toNanos());
            }
            return pending != null && commit(pending);
        } catch (InterruptedException stop) {
            throw stop;
        } catch (EventLogException fault) {
            broken = true;
            throw failed(fault);
        } catch (Throwable unexpected) {
            broken = true;
            throw failed(new LogUnavailableException(
                    "The event log could not be written: " + unexpected + ". Capture starts again from its checkpoint.",
                    unexpected));
        }
    }

    private void refuseIfBroken() {
        if (broken) {
            throw failed(
                    status instanceof Status.Failed known
                            ? known.cause()
                            : new LogUnavailableException(
                                    "The event log could not be written, and memory ran out before the reason was noted."
                                            + " Capture starts again from its checkpoint.",
                                    null));
        }
    }

    private boolean commit(CommitQueue.Parcel batch) throws InterruptedException {
        try {
            space.require();
            store(batch);
            return true;
        } catch (NoSpaceException full) {
            waitForSpace(full);
            return false;
        }
    }

    /**
     * The caller of {@link #submit} must hear of it, whatever it was: a writer that ends in silence holds up capture for ever.
     * Nothing more is stored: what was taken from the queue may be lost, and a later checkpoint would hide that.
     */
    private EventLogException failed(EventLogException fault) {
        status = new Status.Failed(fault);
        queue.fail(fault);
        return fault;
    }

    private void store(CommitQueue.Parcel batch) {
        Appended appended = log.append(batch.events(), batch.checkpoint());
        pending = null;
        commits.incrementAndGet();
        events.addAndGet(appended.entries().size());
        repeats.addAndGet(appended.repeats());
        if (status instanceof Status.WaitingForSpace) {
            LOG.info("The disk has room again: capture goes on.");
        }
        status = new Status.Running();
        committed.accept(appended);
        queue.done();
    }

    private void waitForSpace(NoSpaceException full) throws InterruptedException {
        if (status instanceof Status.Running) {
            LOG.error("Capture waits for disk space. {}", full.getMessage());
        }
        status = new Status.WaitingForSpace(String.valueOf(full.getMessage()));
        queue.pause(SPACE_CHECK.toNanos());
    }

    private @Nullable Duration commitNext() throws InterruptedException {
        // Asked before the step: what was handed in before the close is then certainly seen by the step.
        boolean closed = queue.isClosed();
        try {
            return step(IDLE) || !closed ? Duration.ZERO : null;
        } catch (EventLogException fault) {
            LOG.error("The event log failed; capture starts again from its checkpoint.", fault);
            return null;
        } catch (InterruptedException stop) {
            broken = true;
            failed(new LogUnavailableException("The event log's writer was interrupted.", stop));
            throw stop;
        }
    }

    /** Waits until all that was handed in is stored; false when that took longer. */
    public boolean flush(Duration timeout) throws InterruptedException {
        return queue.awaitDrained(timeout.toNanos());
    }

    public Status status() {
        return status;
    }

    /** Events that wait for their commit. */
    public int queued() {
        return queue.events();
    }

    public long commits() {
        return commits.get();
    }

    /** Events stored, without repeats. */
    public long events() {
        return events.get();
    }

    /** Events that came again and were dropped. */
    public long repeats() {
        return repeats.get();
    }

    /**
     * Takes no more, stores what waits, and ends its thread. While there is no disk space it does not wait for it: the
     * checkpoint stands before what could not be stored, so the source sends it again. The log stays open.
     *
     * <p>It waits for a write that does not end for ten seconds at most, see {@link #isWriting}.
     */
    @Override
    public void close() {
        close(CLOSE_TIMEOUT);
    }

    void close(Duration timeout) {
        queue.close();
        Loop running = writer;
        if (running != null && joined(running, timeout)) {
            running.askToStop();
        } else if (running != null) {
            running.interrupt();
            LOG.error(
                    "{} has not finished its write within {} ms and is left behind; what it has not stored is read from the"
                            + " source again.",
                    running.name(),
                    timeout.toMillis());
        }
        if (!(status instanceof Status.Failed)) {
            status = new Status.Closed();
        }
    }

    /** Waits also when the caller was interrupted: closing must not abandon a write that is about to end. */
    private static boolean joined(Loop running, Duration timeout) {
        boolean interrupted = Thread.interrupted();
        boolean over = running.join(timeout);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return over;
    }

    /** Whether its thread still runs. After {@link #close} that means a write that does not end: do not close the log. */
    public boolean isWriting() {
        Loop running = writer;
        return running != null && !running.isOver();
    }
}
