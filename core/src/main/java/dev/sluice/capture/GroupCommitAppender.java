package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventLogException;
import dev.sluice.log.EventRecord;
import dev.sluice.log.GroupCommit;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Into the log by group commit: the next batch is read from the source while the last one is synced. A group commit ends
 * with its first fault; {@link #reset} begins a new one. Used by the thread that captures.
 */
public final class GroupCommitAppender implements LogAppender, AutoCloseable {
    private static final Duration LAST_COMMITS = Duration.ofSeconds(10);
    /** A full disk may stay so for long: whoever shuts down does not wait for it. */
    private static final Duration WHILE_FULL = Duration.ofSeconds(1);

    private final Supplier<GroupCommit> begin;
    private volatile GroupCommit current;

    /** @param begin makes a started group commit on the log */
    public GroupCommitAppender(Supplier<GroupCommit> begin) {
        this.begin = begin;
        this.current = begin.get();
    }

    /** How it fares at the moment. */
    public GroupCommit current() {
        return current;
    }

    @Override
    public void submit(List<EventRecord> records, @Nullable Checkpoint checkpoint) throws InterruptedException {
        current.submit(records, checkpoint);
    }

    @Override
    public @Nullable EventLogException failure() {
        return current.status() instanceof GroupCommit.Status.Failed failed ? failed.cause() : null;
    }

    @Override
    public boolean flush() throws InterruptedException {
        boolean full = current.status() instanceof GroupCommit.Status.WaitingForSpace;
        return current.flush(full ? WHILE_FULL : LAST_COMMITS);
    }

    @Override
    public void reset() {
        current.close();
        current = begin.get();
    }

    @Override
    public void close() {
        current.close();
    }

    /** Whether a write is under way that {@link #close} did not wait for any longer. */
    public boolean isWriting() {
        return current.isWriting();
    }
}
