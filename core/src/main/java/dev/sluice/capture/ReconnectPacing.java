package dev.sluice.capture;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * When to try a failed source again: at once after the first failure, then after exponentially growing, jittered
 * waits; after {@code threshold} failures in a row the circuit breaker opens and one attempt is made each
 * {@code openFor}. Has no clock: callers pass elapsed nanoseconds. Used by one thread.
 */
final class ReconnectPacing {
    private final ReconnectLimits limits;
    private final RandomGenerator random;
    private int failures;
    private long failedAt;
    private long waitNanos;

    ReconnectPacing(ReconnectLimits limits, RandomGenerator random) {
        this.limits = limits;
        this.random = random;
    }

    void failed(long nanos) {
        failures++;
        failedAt = nanos;
        waitNanos = waitAfter(failures);
    }

    void succeeded() {
        failures = 0;
        waitNanos = 0;
    }

    /** Zero when an attempt may be made now. */
    Duration remaining(long nanos) {
        return failures == 0 ? Duration.ZERO : Duration.ofNanos(Math.max(0, waitNanos - (nanos - failedAt)));
    }

    int failures() {
        return failures;
    }

    boolean isOpen() {
        return failures >= limits.threshold();
    }

    private long waitAfter(int count) {
        if (count >= limits.threshold()) {
            return limits.openFor().toNanos();
        }
        if (count == 1) {
            return 0;
        }
        long full = limits.firstDelay().toNanos() << Math.min(count - 2, 20);
        long bounded = Math.min(full, limits.openFor().toNanos());
        return bounded / 2 + random.nextLong(bounded / 2 + 1);
    }
}
