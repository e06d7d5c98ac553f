package dev.sluice.gateway;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.model.InvalidInputException;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * The bounds of what is taken in at once, whatever it comes by: bytes, from when they are here, and batches that are being
 * handled. Who comes when all is taken is told to come again. Any thread may call; nobody waits here for another.
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
     * Takes a batch that is here.
     *
     * @param batch reads it
     */
    BatchOutcome take(int bytes, Supplier<IncomingBatch> batch) {
        try (Arrival arrival = new Arrival()) {
            return arrival.hasRoomFor(bytes) ? arrival.take(batch) : arrival.noRoom();
        }
    }

    /** One that is coming, in pieces. */
    Arrival arrival() {
        return new Arrival();
    }

    /** For one thread. */
    final class Arrival implements AutoCloseable {
        private int taken;

        private Arrival() {}

        /** @param bytes that have come of it, in all; or about to */
        boolean hasRoomFor(int bytes) {
            int more = kibibytes(Math.min(bytes, maxBytes)) - taken;
            boolean room = more <= 0 || kibibytes.tryAcquire(more);
            taken += room ? Math.max(0, more) : 0;
            return room;
        }

        BatchOutcome noRoom() {
            return count(new BatchOutcome.RetryLater("this gateway has its hands full"));
        }

        BatchOutcome take(Supplier<IncomingBatch> batch) {
            if (!batches.tryAcquire()) {
                return count(new BatchOutcome.RetryLater("this gateway handles " + AT_ONCE + " batches already"));
            }
            try {
                return receive(batch);
            } finally {
                batches.release();
            }
        }

        @Override
        public void close() {
            kibibytes.release(taken);
            taken = 0;
        }
    }

    private BatchOutcome receive(Supplier<IncomingBatch> batch) {
        IncomingBatch read;
        try {
            read = batch.get();
        } catch (InvalidInputException unreadable) {
            return count(new BatchOutcome.Refused(String.valueOf(unreadable.getMessage())));
        }
        return receiver.receive(read);
    }

    private BatchOutcome count(BatchOutcome outcome) {
        counters.count(outcome);
        return outcome;
    }
}
