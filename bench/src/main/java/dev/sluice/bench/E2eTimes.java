package dev.sluice.bench;

import java.util.concurrent.atomic.LongAdder;

/** How old matches of a stretch were at the gateways: of all that count, and of those in its second half. */
final class E2eTimes {
    private volatile LongAdder received = new LongAdder();
    private volatile LatencyHistogram all = new LatencyHistogram(Long.MAX_VALUE);
    private volatile LatencyHistogram late = new LatencyHistogram(Long.MAX_VALUE);

    /** In milliseconds; {@code p99Late} is of the second half. */
    record Latency(int p50, int p99, int p99Late, int most) {}

    /** Begins a stretch: events from {@code time} on count, those from {@code half} on as its second half. */
    void restart(long time, long half) {
        late = new LatencyHistogram(half);
        all = new LatencyHistogram(time);
        received = new LongAdder();
    }

    void add(long sourceTime) {
        all.add(sourceTime);
        late.add(sourceTime);
        received.increment();
    }

    long received() {
        return received.sum();
    }

    Latency latency() {
        LatencyHistogram counted = all;
        return new Latency(counted.quantile(0.5), counted.quantile(0.99), late.quantile(0.99), counted.quantile(1));
    }
}
