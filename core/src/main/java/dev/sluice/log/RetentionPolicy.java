package dev.sluice.log;

import java.time.Duration;

/**
 * How long and how much the log keeps.
 *
 * @param interval between two looks
 * @param retention events stay at least this long, unless the size forces them out
 * @param maxBytes of records and keys; when there is more, the oldest leave before their age
 */
public record RetentionPolicy(Duration interval, Duration retention, long maxBytes) {
    public RetentionPolicy {
        if (!interval.isPositive() || !retention.isPositive() || maxBytes < 1) {
            throw new IllegalArgumentException("Interval, retention and size of the log must be positive.");
        }
    }
}
