package dev.sluice.outbox.kafka;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Waits for what becomes of the records of one batch. The producer's thread tells, record by record; whoever gives up the
 * partition may end the wait.
 */
final class Acknowledgements {
    private final @Nullable Exception[] failures;
    /** One more than the records, which {@link #await} takes away: nothing is complete while records are being sent. */
    private final AtomicInteger missing = new AtomicInteger(1);

    private final CountDownLatch complete = new CountDownLatch(1);
    private volatile boolean abandoned;

    Acknowledgements(int size) {
        failures = new Exception[size];
    }

    /** To be given to the producer along with record i. */
    Callback of(int i) {
        missing.incrementAndGet();
        return (written, failed) -> {
            failures[i] = failed;
            arrived();
        };
    }

    /** The producer threw instead: it will not tell. */
    void failed(int i, Exception failed) {
        failures[i] = failed;
        arrived();
    }

    private void arrived() {
        if (missing.decrementAndGet() == 0) {
            complete.countDown();
        }
    }

    /** What is known already to have failed: asked right after sending, to stop in time. */
    @Nullable
    Exception failure(int i) {
        return failures[i];
    }

    /** @return the failures by record, null where it was stored; null when the wait was ended before all was known */
    @Nullable
    Exception @Nullable [] await() throws InterruptedException {
        arrived();
        complete.await();
        return abandoned ? null : failures;
    }

    void abandon() {
        abandoned = true;
        complete.countDown();
    }
}
