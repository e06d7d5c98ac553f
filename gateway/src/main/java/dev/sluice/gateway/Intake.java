package dev.sluice.gateway;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.model.InvalidInputException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * The bounds of what is taken in at once, whatever it comes by: batches, and their bytes. Who comes when all is taken
 * is told to come again. Any thread may call; nobody waits here for another.
 */
final class Intake {
    private static final int AT_ONCE = 256;
    private static final int KIB = 1024;

    private final Receiver receiver;
    private final GatewayCounters counters;
    private final int maxBytes;
    private final Semaphore batches = new Semaphore(AT_ONCE);
    private final Semaphore kibibytes;

    /** @param maxBytes of one batch; all together may have four times as many */
    Intake(Receiver receiver, GatewayCounters counters, int maxBytes) {
        this.receiver = receiver;
        this.counters = counters;
        this.maxBytes = maxBytes;
        this.kibibytes = new Semaphore(4 * kibibytes(maxBytes));
    }

    private static int kibibytes(int bytes) {
        return bytes / KIB + 1;
    }

    int maxBytes() {
        return maxBytes;
    }

    /**
     * @param bytes what it takes, at most
     * @param batch reads it
     */
    BatchOutcome take(int bytes, Supplier<List<Incoming>> batch) {
        int needed = kibibytes(Math.min(bytes, maxBytes));
        if (!batches.tryAcquire()) {
            return count(new BatchOutcome.RetryLater("this gateway handles " + AT_ONCE + " batches already"));
        }
        try {
            return kibibytes.tryAcquire(needed)
                    ? take(batch, needed)
                    : count(new BatchOutcome.RetryLater("this gateway has its hands full"));
        } finally {
            batches.release();
        }
    }

    private BatchOutcome take(Supplier<List<Incoming>> batch, int kibibytesTaken) {
        try {
            List<Incoming> read;
            try {
                read = batch.get();
            } catch (InvalidInputException unreadable) {
                return count(new BatchOutcome.Refused(String.valueOf(unreadable.getMessage())));
            }
            return receiver.receive(read);
        } finally {
            kibibytes.release(kibibytesTaken);
        }
    }

    private BatchOutcome count(BatchOutcome outcome) {
        counters.count(outcome);
        return outcome;
    }
}
