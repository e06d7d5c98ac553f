package dev.sluice.capture;

import java.time.Duration;

/**
 * How a failed source is tried again.
 *
 * @param firstDelay the wait after the second failure in a row; it doubles with each further one
 * @param threshold so many failures in a row open the circuit breaker
 * @param openFor then one attempt is made each time this has passed
 */
public record ReconnectLimits(Duration firstDelay, int threshold, Duration openFor) {
    public static final ReconnectLimits DEFAULT =
            new ReconnectLimits(Duration.ofMillis(100), 5, Duration.ofSeconds(30));

    public ReconnectLimits {
        if (firstDelay.isNegative() || firstDelay.isZero() || threshold < 1 || openFor.compareTo(firstDelay) < 0) {
            throw new IllegalArgumentException("a reconnect needs a positive first delay, a threshold of at least one"
                    + " failure and an open time not below the first delay");
        }
    }
}
