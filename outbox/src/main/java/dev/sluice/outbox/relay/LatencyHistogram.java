package dev.sluice.outbox.relay;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** How long things took, in buckets that grow by a quarter: percentiles within 25 %. Any thread may record and read. */
public final class LatencyHistogram {
    private static final int PER_DOUBLING_BITS = 2;
    private static final int BUCKETS = 42 << PER_DOUBLING_BITS;

    private final AtomicLongArray buckets = new AtomicLongArray(BUCKETS);
    private final LongAdder count = new LongAdder();
    private final LongAdder micros = new LongAdder();

    void record(long tookMicros) {
        long took = Math.max(0, tookMicros);
        buckets.incrementAndGet(bucket(took));
        count.increment();
        micros.add(took);
    }

    public long count() {
        return count.sum();
    }

    public Duration total() {
        return Duration.ofNanos(micros.sum() * 1_000);
    }

    /** @param share 0.99 for the time that 99 % did not exceed, as the upper end of its bucket; zero when there is nothing */
    public Duration percentile(double share) {
        long all = 0;
        for (int i = 0; i < BUCKETS; i++) {
            all += buckets.get(i);
        }
        long wanted = (long) Math.ceil(all * share);
        long seen = 0;
        for (int i = 0; i < BUCKETS && wanted > 0; i++) {
            seen += buckets.get(i);
            if (seen >= wanted) {
                return Duration.ofNanos(upperEnd(i) * 1_000);
            }
        }
        return Duration.ZERO;
    }

    private static int bucket(long value) {
        int top = Long.SIZE - 1 - Long.numberOfLeadingZeros(value | 1);
        int shift = Math.max(0, top - PER_DOUBLING_BITS);
        int index = (shift << PER_DOUBLING_BITS) + (int) (value >>> shift);
        return Math.min(index, BUCKETS - 1);
    }

    private static long upperEnd(int bucket) {
        int shift = Math.max(0, (bucket >> PER_DOUBLING_BITS) - 1);
        long within = bucket - ((long) shift << PER_DOUBLING_BITS);
        return ((within + 1) << shift) - 1;
    }
}
