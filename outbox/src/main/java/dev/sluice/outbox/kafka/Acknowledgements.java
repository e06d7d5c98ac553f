package dev.sluice.outbox.kafka;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
    private final AtomicInteger firstToBlame = new AtomicInteger(-1);
    private volatile boolean abandoned;

    Acknowledgements(int size) {
        failures = new Exception[size];
    }

    /** To be given to the producer along with record i. */
    Callback of(int i) {
        missing.incrementAndGet();
        return (written, failed) -> {
            if (failed != null) {
                blame(i, failed);
            }
            arrived();
        };
    }

    /** The producer threw instead: it will not tell. */
    void failed(int i, Exception failed) {
        blame(i, failed);
        arrived();
    }

    private void blame(int i, Exception failed) {
        failures[i] = failed;
        if (KafkaFailure.ofRow(failed).isPresent()) {
            firstToBlame.compareAndSet(-1, i);
        }
    }

    /** The record that was the first to fail by itself; negative when none did. */
    int firstToBlame() {
        return firstToBlame.get();
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
    Exception @Nullable [] failures() {
        return abandoned ? null : failures;
    }

    /** All records have been given to the producer. */
    void allSent() {
        arrived();
    }

    /** Whether all is known, or the wait was ended, within this time. */
    boolean await(Duration patience) throws InterruptedException {
        return complete.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    void abandon() {
        abandoned = true;
        complete.countDown();
    }
}
