package dev.sluice.outbox.relay;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Growing, jittered pauses while the sink or the database fails. */
final class Backoff {
    private static final Duration FIRST = Duration.ofMillis(50);
    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final int MOST_DOUBLINGS = 16;

    private final RandomGenerator random;
    private int failures;

    Backoff(RandomGenerator random) {
        this.random = random;
    }

    void succeeded() {
        failures = 0;
    }

    /** Counts a failure, and returns the pause after it. */
    Duration failed() {
        long full = FIRST.toNanos() << Math.min(failures, MOST_DOUBLINGS);
        failures++;
        return jittered(Math.min(full, LONGEST.toNanos()));
    }

    /** Returns the first pause without counting a failure. */
    Duration first() {
        return jittered(FIRST.toNanos());
    }

    /** Half of it is chance, so that relays that failed together do not come back together. */
    private Duration jittered(long nanos) {
        return Duration.ofNanos(nanos / 2 + random.nextLong(nanos / 2 + 1));
    }
}
