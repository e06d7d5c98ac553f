package dev.sluice.mongodb;

import java.time.Duration;

/**
 * How long a reply may take at a server that is known to be alive, and how many events to ask for. After a reply that took
 * longer the next one may take twice as long and is asked for a tenth of the events, so that any stretch is passed at last; a
 * reply in time brings back the full batch, step by step. Any thread may call.
 */
final class ReplyPatience {
    private static final Duration LONGEST = Duration.ofHours(24);
    private static final int SMALLER = 10;

    private final Duration first;
    private final int fullBatch;
    private Duration limit;
    private int batch;

    ReplyPatience(Duration first, int fullBatch) {
        this.first = first;
        this.fullBatch = fullBatch;
        this.limit = first;
        this.batch = fullBatch;
    }

    synchronized Duration limit() {
        return limit;
    }

    synchronized int batchSize() {
        return batch;
    }

    synchronized void timedOut() {
        Duration twice = limit.multipliedBy(2);
        limit = twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
        batch = Math.max(1, batch / SMALLER);
    }

    synchronized void answered() {
        limit = first;
        batch = Math.min(fullBatch, batch * 2);
    }
}
