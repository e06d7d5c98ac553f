package dev.sluice.worker.migrate;

import dev.sluice.model.InvalidInputException;
import java.time.Duration;

/**
 * When a change of the consumer mode goes on, and when it is rolled back.
 *
 * @param window how long a worker watches before it calls a window good or bad
 * @param windows good windows in a row, of every living worker, before the mode is switched
 * @param badWindows bad windows in a row, of any worker, after which the change is rolled back
 * @param burnIn for how long all windows of every living worker must be good after the switch
 * @param maxLag unfinished messages of a worker; more make a window bad
 * @param maxRedelivered redeliveries in percent of a worker's deliveries; more make a window bad
 */
public record MigrationLimits(
        Duration window, int windows, int badWindows, Duration burnIn, long maxLag, int maxRedelivered) {
    private static final Duration SHORTEST_WINDOW = Duration.ofMillis(100);
    private static final Duration LONGEST_WINDOW = Duration.ofDays(1);
    private static final Duration LONGEST_BURN_IN = Duration.ofDays(30);
    private static final int MAX_WINDOWS = 10_000;

    public static final MigrationLimits DEFAULT =
            new MigrationLimits(Duration.ofSeconds(30), 3, 3, Duration.ofMinutes(10), 10_000, 3);

    public MigrationLimits {
        check(
                window.compareTo(SHORTEST_WINDOW) >= 0 && window.compareTo(LONGEST_WINDOW) <= 0,
                "window is 100ms to 1d, not " + window);
        check(windows >= 1 && windows <= MAX_WINDOWS, "windows is 1 to 10000, not " + windows);
        check(badWindows >= 1 && badWindows <= MAX_WINDOWS, "bad_windows is 1 to 10000, not " + badWindows);
        check(burnIn.compareTo(LONGEST_BURN_IN) <= 0, "burn_in is at most 30d, not " + burnIn);
        check(
                burnIn.compareTo(window.multipliedBy(badWindows)) >= 0,
                "burn_in (" + burnIn + ") must last at least bad_windows times window ("
                        + window.multipliedBy(badWindows) + "): else it ends before it can be rolled back");
        check(maxLag >= 0, "max_lag must be at least 0, not " + maxLag);
        check(
                maxRedelivered >= 0 && maxRedelivered <= 100,
                "max_redelivered is 0 to 100 percent, not " + maxRedelivered);
    }

    /** How many windows the burn-in has. */
    int burnInWindows() {
        return (int) Math.ceilDiv(burnIn.toMillis(), window.toMillis());
    }

    private static void check(boolean holds, String problem) {
        if (!holds) {
            throw new InvalidInputException(problem);
        }
    }
}
