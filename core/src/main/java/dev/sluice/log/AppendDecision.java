package dev.sluice.log;

import dev.sluice.checkpoint.Checkpoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one append is going to write, in one atomic batch.
 *
 * @param begin where the log's history begins; to be written when {@code starts}
 * @param starts this is the first append of all
 * @param segments the last segment as it is after this append, and new ones behind it
 */
public record AppendDecision(
        Appended appended,
        LogPoint begin,
        boolean starts,
        List<Segment> segments,
        @Nullable Checkpoint checkpoint,
        IdsOfOneTime idsAtHead) {
    /** There is nothing to write. */
    public boolean isEmpty() {
        return appended.entries().isEmpty() && checkpoint == null;
    }
}
