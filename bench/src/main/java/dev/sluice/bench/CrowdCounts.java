package dev.sluice.bench;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the clients of a {@link Crowd} received. One thread counts, any thread may read.
 *
 * <p>A client whose last event was n expects n + 1: a lower number is a repeat, a higher one means that events are missing.
 */
final class CrowdCounts {
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong repeats = new AtomicLong();
    private final AtomicLong missing = new AtomicLong();
    private final AtomicInteger refusals = new AtomicInteger();
    private final AtomicInteger finished = new AtomicInteger();
    private final long[] finishedAt;
    private volatile int target = Integer.MAX_VALUE;

    CrowdCounts(int clients) {
        this.finishedAt = new long[clients];
    }

    /** Starts to count anew: a client has finished when it gets this event. */
    void expect(int event) {
        opened.set(0);
        finished.set(0);
        received.set(0);
        refusals.set(0);
        target = event;
    }

    void opened() {
        opened.incrementAndGet();
    }

    void refused() {
        refusals.incrementAndGet();
    }

    /** Requests that the server refused since {@link #expect}, which were made again. */
    int refusals() {
        return refusals.get();
    }

    void received(int client, int event, int last) {
        if (event <= last) {
            repeats.incrementAndGet();
            return;
        }
        missing.addAndGet(event - last - 1L);
        if (event == target) {
            finishedAt[client] = System.nanoTime();
            finished.incrementAndGet();
        }
        received.incrementAndGet();
    }

    /** Connections the server has accepted. */
    int openedConnections() {
        return opened.get();
    }

    /** Events without repeats. */
    long receivedEvents() {
        return received.get();
    }

    /** Clients that got the event that was expected last. */
    int finishedClients() {
        return finished.get();
    }

    /**
     * Returns how long after the start so large a share of the clients had finished, in seconds. For the time when all have.
     */
    double finishedWithin(double share, long startNanos) {
        long[] sorted = finishedAt.clone();
        Arrays.sort(sorted);
        int rank = Math.max(1, (int) Math.ceil(share * sorted.length));
        return (sorted[rank - 1] - startNanos) / 1e9;
    }

    /** @throws IllegalStateException when a client got an event twice, or missed one */
    void verify() {
        if (repeats.get() > 0 || missing.get() > 0) {
            throw new IllegalStateException(
                    "clients missed %,d events and got %,d twice".formatted(missing.get(), repeats.get()));
        }
    }
}
