package dev.sluice.deliver;

import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The attempts a deliverer has under way, each on a virtual thread of its own, where it may block. None ends exceptionally,
 * and closing ends them all; so an implementation says only how one attempt goes.
 */
public final class Attempts implements AutoCloseable {
    private static final BatchOutcome CLOSED = new BatchOutcome.RetryLater("the connection to the gateway was closed");

    private final String gateway;
    private final Set<CompletableFuture<BatchOutcome>> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public Attempts(String gateway) {
        this.gateway = gateway;
    }

    /** Whatever the attempt throws is {@link BatchOutcome.RetryLater}. It ends by itself in time. */
    public CompletionStage<BatchOutcome> begin(Callable<BatchOutcome> attempt) {
        CompletableFuture<BatchOutcome> outcome = new CompletableFuture<>();
        underWay.add(outcome);
        Thread.ofVirtual().name("deliver-" + gateway).start(() -> {
            BatchOutcome came = closed ? CLOSED : run(attempt);
            underWay.remove(outcome);
            outcome.complete(came);
        });
        return outcome;
    }

    /** An Error becomes an outcome, too: a lane would wait for the answer for ever otherwise. */
    private static BatchOutcome run(Callable<BatchOutcome> attempt) {
        try {
            return attempt.call();
        } catch (Throwable failed) {
            return new BatchOutcome.RetryLater(Reason.of(failed));
        }
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        underWay.forEach(outcome -> outcome.complete(CLOSED));
    }
}
