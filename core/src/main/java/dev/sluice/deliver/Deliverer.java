package dev.sluice.deliver;

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

    /** Frees the connection. What is under way ends as {@link BatchOutcome.RetryLater}. */
    @Override
    void close();
}
