package dev.sluice.worker;

import dev.sluice.model.FencingToken;
import org.jspecify.annotations.Nullable;

/**
 * One owned partition of a worker.
 *
 * @param partition its id
 * @param index its number in the group
 * @param token of the claim
 * @param source which consumer feeds it
 * @param low every message of the partition up to this stream sequence is finished
 * @param queued messages taken in and not finished, the running one included
 * @param lag messages that are not finished, as far as the server told, of all partitions of the consumer that feeds it: a hint
 * @param attempts of the message that is being retried; 0 when there is none
 * @param waiting why no message is being handled though there may be some
 * @param lastError of the handler or of this partition's consumer; null when the latest call succeeded
 */
public record LaneStatus(
        String partition,
        int index,
        FencingToken token,
        Source source,
        long low,
        int queued,
        long lag,
        int attempts,
        Waiting waiting,
        @Nullable String lastError) {

    /** The consumer that feeds a partition. */
    public enum Source {
        /** The worker's durable consumer. */
        DURABLE,
        /** A catch-up reader, or the partition's own consumer. */
        CATCH_UP,
        /** None at the moment. */
        NONE
    }

    /** Why a partition does not go on. */
    public enum Waiting {
        /** It goes on, or has nothing to do. */
        NO,
        /** The pause between two attempts. */
        RETRY,
        /** The dead-letter stream is missing, full, or does not answer. */
        DEAD_LETTERS,
        /** An operator paused the worker. */
        PAUSED,
        /** Messages after the cursor are gone, and {@code on_gap} is {@code stop}. */
        GAP,
        /** The partition is being handed over. */
        HANDOFF
    }
}
