package dev.sluice.coordinate;

import dev.sluice.model.InvalidInputException;
import java.time.Duration;

/**
 * When a reported position is saved: after this time, or after this many reports, whichever comes first; and always before
 * a claim is released.
 */
public record SavePolicy(Duration interval, int count) {
    public static final SavePolicy DEFAULT = new SavePolicy(Duration.ofSeconds(5), 1_000);

    public SavePolicy {
        if (interval.isNegative() || interval.isZero() || count < 1) {
            throw new InvalidInputException(
                    "positions are saved after a time above 0 or at least 1 report, not " + interval + " or " + count);
        }
    }
}
