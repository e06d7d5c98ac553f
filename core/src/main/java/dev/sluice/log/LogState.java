package dev.sluice.log;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import org.jspecify.annotations.Nullable;

/**
 * The log as it stood at one moment.
 *
 * @param identity a random number that the log keeps for life: positions are comparable within one identity only; 0 for a
 *     log that could not be opened
 * @param head the last event; in a log that has none yet, the place where its history begins
 * @param evictedThrough everything behind it is still there; nothing up to it is
 * @param checkpoint what was last appended as checkpoint
 * @param events how many the log holds, exactly
 * @param bytes of records and keys; files take about as much, plus write buffers
 */
public record LogState(
        long identity,
        LogPoint head,
        LogPoint evictedThrough,
        @Nullable Checkpoint checkpoint,
        long events,
        long bytes) {
    /** False until the first append: only then is it known where this log's history begins. */
    public boolean started() {
        return !evictedThrough.position().equals(LogPosition.START);
    }

    /** Capture has passed everything up to this time: that of the head, or of a checkpoint taken while nothing came. */
    public ClusterTime capturedThrough() {
        ClusterTime headTime = head.id().time();
        return checkpoint != null && checkpoint.time().compareTo(headTime) > 0 ? checkpoint.time() : headTime;
    }
}
