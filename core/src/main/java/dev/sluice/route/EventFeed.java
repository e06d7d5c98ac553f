package dev.sluice.route;

import dev.sluice.model.ProgressMarker;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the Streamer's events come from: a Puller in the same process, or one elsewhere. */
public interface EventFeed {
    /**
     * Nothing is read yet, and nothing waits.
     *
     * @param label for logs and the Puller's list of consumers
     * @param after where to go on; null: from now on
     */
    Reader open(String label, @Nullable ProgressMarker after, int partition, int partitions);

    /** Of how many partitions this one is, where somebody knows better than the settings. */
    default int partitions(int partition, int configured) {
        return configured;
    }

    /** For one thread. A reader that threw is closed; another one is opened from where its last batch ended. */
    interface Reader extends AutoCloseable {
        /**
         * The next events, or an empty batch after so long, or when the thread is interrupted, which it then still is.
         * The first one comes at once, and names every backend in its marker.
         *
         * @throws FeedOutOfRangeException when events behind the marker are no longer kept
         * @throws FeedUnavailableException when the Puller cannot be reached, or has gone: try again
         */
        Batch read(int maxEvents, Duration wait);

        @Override
        void close();
    }

    /**
     * @param events in the order of the partition; control events belong to every partition
     * @param passed everything up to here was in this batch or an earlier one, or is of another partition
     * @param sourceTime how far the slowest source is known to have been read, in milliseconds since 1970; 0: not known yet
     */
    record Batch(List<FeedEvent> events, ProgressMarker passed, long sourceTime) {}
}
