package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventRecord;
import dev.sluice.model.ClusterTime;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one read of a change stream brought.
 *
 * @param events in the source's order; often none
 * @param reached where to go on after these events; also set when there are none, because a quiet or filtered stream
 *     still moves on. Null when the source named no position. Its time is at or before the token's, never after
 * @param sourceTime how far the source's own clock was when it answered, milliseconds since 1970
 * @param ending whether and how the stream ended with this batch
 * @param unread how far the source's newest change is ahead of what can be read yet, by the source's clock: what the majority
 *     of a replica set does not have cannot be read. Zero when everything was read
 */
public record SourceBatch(
        List<EventRecord> events, @Nullable Checkpoint reached, long sourceTime, Ending ending, Duration unread) {

    /** A batch behind which nothing is unread. */
    public SourceBatch(List<EventRecord> events, @Nullable Checkpoint reached, long sourceTime, Ending ending) {
        this(events, reached, sourceTime, ending, Duration.ZERO);
    }

    /** How a stream stands after a batch. */
    public sealed interface Ending {
        /** Goes on. */
        record Open() implements Ending {}

        /** The watched database is gone; behind the batch's position a new stream can be opened. */
        record Invalidated() implements Ending {}

        /** The source ended the stream without a reason or a position: something was hidden from us. */
        record SilentlyClosed(ClusterTime at) implements Ending {}
    }

    public boolean isOpen() {
        return ending instanceof Ending.Open;
    }

    public static final Ending OPEN = new Ending.Open();
    public static final Ending INVALIDATED = new Ending.Invalidated();
}
