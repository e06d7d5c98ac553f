package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import java.time.Duration;

/** An open change stream. Used by one thread. */
public interface ChangeCursor extends AutoCloseable {
    /**
     * The next events, or none when nothing came within the source's waiting time. The first call returns at once, with
     * the position the stream was opened at.
     */
    SourceBatch next() throws SourceException;

    /**
     * How long after the beginning of the last read the next one begins at the earliest, so that its batch grows: fewer and
     * larger batches cost less on their whole way. Zero while the source has a backlog.
     */
    default Duration interval() {
        return Duration.ZERO;
    }

    /**
     * Whether the source forgets what was read, as an outbox deletes its rows. Then everything read is made durable and told by
     * {@link #durable} before the next read; other streams are read on while the log is written. Its batches must fit into one
     * commit, so that events and position are on disk together.
     */
    default boolean forgets() {
        return false;
    }

    /**
     * The event log has this position on disk, and every event up to it. Also said of the log's last position before the first
     * read of a newly opened stream. Saying it again is harmless.
     */
    default void durable(Checkpoint reached) throws SourceException {}

    /** Ends the stream, also at the source, as far as it can be reached. Closing twice is harmless. */
    @Override
    void close();
}
