package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventLogException;
import dev.sluice.log.EventRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The capture loop's way into the event log. What is submitted is appended in order, events and checkpoint together.
 * After a failure nothing that was submitted later is appended until {@link #reset}: a hole would be a silent loss.
 */
public interface LogAppender {
    /** Hands over, waiting for room first. */
    void submit(List<EventRecord> records, @Nullable Checkpoint checkpoint) throws InterruptedException;

    /** Why appending stopped; null while it works. */
    @Nullable
    EventLogException failure();

    /** Waits until everything submitted is on disk; false when that takes longer, because the disk is full, say. */
    boolean flush() throws InterruptedException;

    /** Appends again after a failure. What was submitted and not appended is forgotten: it comes from the source again. */
    void reset();
}
