package dev.sluice.worker.consume;

import java.time.Duration;
import java.util.Random;

/** When a worker's durable consumer may be changed next: a minimum interval, and after failures a growing pause with jitter. */
final class UpdatePace {
    private static final Duration FIRST_RETRY = Duration.ofMillis(500);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(30);
    private static final int DOUBLINGS = 6;
    private static final double JITTER = 0.2;

    private final long minInterval;
    private final Random random;
    private long nextAt;
    private int failures;
    private long updates;

    /** @param seed spreads the retries of different workers */
    UpdatePace(Duration minInterval, long now, long seed) {
        this.minInterval = minInterval.toNanos();
        this.random = new Random(seed);
        this.nextAt = now;
    }

    boolean isDue(long now) {
        return now - nextAt >= 0;
    }

    Duration untilDue(long now) {
        return Duration.ofNanos(Math.max(0, nextAt - now));
    }

    /** An update was tried. */
    void ended(boolean done, long now) {
        updates++;
        if (done) {
            failures = 0;
            nextAt = now + minInterval;
        } else {
            failures++;
            nextAt = now + pauseAfterFailures();
        }
    }

    private long pauseAfterFailures() {
        long pause = Math.min(FIRST_RETRY.toNanos() << Math.min(failures - 1, DOUBLINGS), LONGEST_RETRY.toNanos());
        double factor = 1 - JITTER + 2 * JITTER * random.nextDouble();
        return Math.max(minInterval, (long) (pause * factor));
    }

    /** How many updates were tried so far. */
    long updates() {
        return updates;
    }

    int failures() {
        return failures;
    }
}
