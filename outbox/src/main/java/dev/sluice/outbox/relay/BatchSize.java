package dev.sluice.outbox.relay;

import java.time.Duration;

/**
 * How many rows to fetch: more while full batches are quick, fewer when they take long, so that a slow receiver has less under
 * way (and less comes again after a crash) and a quick one costs fewer round trips.
 */
final class BatchSize {
    private static final Duration QUICK = Duration.ofMillis(250);
    private static final Duration SLOW = Duration.ofSeconds(1);

    private final RelaySettings.BatchLimits limits;
    private int size;

    BatchSize(RelaySettings.BatchLimits limits) {
        this.limits = limits;
        this.size = limits.least();
    }

    int rows() {
        return size;
    }

    void took(int fetched, Duration time) {
        if (time.compareTo(SLOW) > 0) {
            size = Math.max(limits.least(), size / 2);
        } else if (fetched == size && time.compareTo(QUICK) < 0) {
            size = Math.min(limits.most(), size * 2);
        }
    }
}
