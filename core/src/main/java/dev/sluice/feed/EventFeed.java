package dev.sluice.feed;

import dev.sluice.model.EventId;
import dev.sluice.model.Position;
import java.util.List;
import java.util.Map;

/** The logs that the Streamer reads. Any thread may call; a reader is for one thread. */
public interface EventFeed {
    /**
     * Returns every log by its name, as it stands now. The answer may be a little old, never ahead of what is committed.
     *
     * @throws FeedUnavailableException when the Puller cannot be asked: try again
     */
    Map<String, LogHead> heads();

    /**
     * Returns the positions of these event ids in this log, in their order. An id that the log does not know, or whose hash
     * is 0, is resolved to the place just before its cluster time; one that is older than everything the log keeps, to its
     * own place in time, which {@link Reader#read} then refuses as out of range.
     *
     * @param identity of the log that is meant
     * @throws LogChangedException when the log has another identity now
     * @throws FeedUnavailableException when the Puller cannot be asked, or does not have the log: try again
     */
    List<Position> resolve(String log, long identity, List<EventId> ids);

    /**
     * Opens a reader behind a position. Does not read and does not wait; what fails is thrown by the first read.
     *
     * @param label for logs and the Puller's list of consumers
     * @param identity of the log that the position belongs to
     * @param more is called, from any thread and more often than needed, when a read may find something new or fail; it
     *     must return quickly
     */
    Reader open(String label, StreamId stream, long identity, Position after, Runnable more);

    /** One stream's place in its log. A reader that threw is closed; another one is opened from where its last batch ended. */
    interface Reader extends AutoCloseable {
        /**
         * Returns the next events, at once; an empty batch when there are none now.
         *
         * @param maxBytes about so many, but always one event if there is one
         * @throws FeedOutOfRangeException when events behind the reader's position are no longer kept
         * @throws LogChangedException when the log has another identity than the one it was opened for
         * @throws FeedUnavailableException when the Puller cannot be reached, or has gone: try again
         */
        Batch read(int maxEvents, long maxBytes);

        @Override
        void close();
    }

    /**
     * Events that directly follow one another in a stream.
     *
     * @param events in the order of the log; control events belong to every partition
     * @param passed everything up to here was in this batch or an earlier one, or is of another partition; never ahead of
     *     the log's head
     * @param head the log's head, as far as the reader has heard of it; not before {@code passed}
     * @param sourceTime how far the source is known to have been captured, in milliseconds since 1970; 0: not known yet
     */
    record Batch(List<FeedEvent> events, Position passed, Position head, long sourceTime) {}
}
