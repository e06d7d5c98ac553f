package dev.sluice.coordinate.assign;

import dev.sluice.model.InvalidInputException;
import java.time.Duration;

/**
 * How long changes are gathered before partitions move.
 *
 * @param coldStart after the first member of a group without an assignment: how long others may come
 * @param planned after the first join, leave or change of weight: how long others may come with it
 * @param minimumInterval between two reassignments, whatever their reason
 */
public record StabiliserSettings(Duration coldStart, Duration planned, Duration minimumInterval) {
    /**
     * Fits a lease of 10 s: a rolling restart makes few moves, and a dead member's partitions are taken over within the
     * lease and two seconds.
     */
    public static final StabiliserSettings DEFAULT =
            new StabiliserSettings(Duration.ofSeconds(2), Duration.ofSeconds(1), Duration.ofMillis(500));

    /** For a heartbeat of 30 s and a lease of 2 minutes, where members come and go slowly. */
    public static final StabiliserSettings RELAXED =
            new StabiliserSettings(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(2));

    /** Every change at once: for a single member, and for tests. */
    public static final StabiliserSettings IMMEDIATE =
            new StabiliserSettings(Duration.ZERO, Duration.ZERO, Duration.ZERO);

    public StabiliserSettings {
        check("cold start window", coldStart);
        check("planned window", planned);
        check("minimum interval between reassignments", minimumInterval);
    }

    private static void check(String what, Duration given) {
        if (given.isNegative() || given.compareTo(Duration.ofHours(1)) > 0) {
            throw new InvalidInputException("the " + what + " is 0 to 1 hour, not " + given);
        }
    }
}
