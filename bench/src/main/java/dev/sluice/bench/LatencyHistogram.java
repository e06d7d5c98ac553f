package dev.sluice.bench;

import dev.sluice.grpc.puller.v1.Event;
import java.util.List;

/** How old events were when they arrived, by the millisecond. Any thread may add. */
final class LatencyHistogram {
    private static final int LONGEST = 60_000;

    private final long countFrom;
    private final long[] counts = new long[LONGEST + 1];
    private long received;
    private long counted;

    /** @param countFrom events of the source before this time are received, but their latency does not count */
    LatencyHistogram(long countFrom) {
        this.countFrom = countFrom;
    }

    synchronized void add(List<Event> events) {
        for (Event event : events) {
            add(event.getTimestamp());
        }
    }

    synchronized void add(long sourceTime) {
        received++;
        if (sourceTime >= countFrom) {
            counted++;
            counts[(int) Math.clamp(System.currentTimeMillis() - sourceTime, 0, LONGEST)]++;
        }
    }

    synchronized long received() {
        return received;
    }

    /** The least latency within which this share of the events arrived. */
    synchronized int quantile(double share) {
        long needed = (long) Math.ceil(share * counted);
        int millis = 0;
        long sum = counts[0];
        while (sum < needed) {
            sum += counts[++millis];
        }
        return millis;
    }
}
