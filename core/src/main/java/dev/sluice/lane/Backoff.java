package dev.sluice.lane;

import dev.sluice.run.Turns;

/** How long to wait after the n-th failure in a row: growing, bounded, and never the same for all. */
public final class Backoff {
    private final LaneSettings.Retry settings;
    private final Turns turns;

    Backoff(LaneSettings.Retry settings, Turns turns) {
        this.settings = settings;
        this.turns = turns;
    }

    long nanosAfter(int failures) {
        double full = settings.initialDelay().toNanos() * Math.pow(settings.multiplier(), Math.max(0, failures - 1));
        double bounded = Math.min(full, settings.maxDelay().toNanos());
        return (long) (bounded * (0.75 + turns.random().nextDouble() * 0.25));
    }
}
