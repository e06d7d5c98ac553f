package dev.sluice.deliver;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * One gateway, reached by its protocol. Several batches may be under way at once; whoever calls takes care that none of
 * them needs to arrive before another. It keeps its connection between calls, and makes a new one when it must.
 */
public interface Deliverer extends AutoCloseable {
    /**
     * Attempts it once. Returns at once, also when nobody listens. Ends within the timeout the deliverer was made with,
     * and never exceptionally.
     */
    CompletionStage<BatchOutcome> deliver(DeliveryBatch batch);

    /**
     * How long an attempt may still change something at a receiver that takes what a replaced owner of a partition sends: the
     * attempt's timeout. Nothing of a partition is sent there whose lease may end sooner. Zero: the receiver refuses older tokens.
     */
    default Duration unfencedFor() {
        return Duration.ZERO;
    }

    /** Frees the connection. What is under way ends as {@link BatchOutcome.RetryLater}. */
    @Override
    void close();
}
