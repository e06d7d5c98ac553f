package dev.sluice.client;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** The pause before the next attempt: doubles up to a limit, and differs at random so that consumers do not return at once. */
final class Backoff {
    private final long first;
    private final long longest;
    private final RandomGenerator random;
    private int failures;

    Backoff(Duration first, Duration longest, RandomGenerator random) {
        this.first = first.toMillis();
        this.longest = longest.toMillis();
        this.random = random;
    }

    void succeeded() {
        failures = 0;
    }

    /** Between half and all of what the number of failures in a row asks for. */
    Duration next() {
        long pause = Math.min(longest, first << Math.min(failures++, 20));
        return Duration.ofMillis(pause / 2 + random.nextLong(pause / 2 + 1));
    }

    /** Waits so long, or until the latch opens. */
    @SuppressWarnings("ReturnValueIgnored")
    void pause(CountDownLatch over) throws InterruptedException {
        over.await(next().toMillis(), TimeUnit.MILLISECONDS);
    }
}
