package dev.sluice.outbox.relay;

import java.time.Duration;

/** How long to wait before the next look at the table: not at all while batches are full, then longer and longer. */
final class Polling {
    private static final Duration FIRST = Duration.ofMillis(10);

    private Duration next = FIRST;

    /** @param longest depends on whether something wakes the relay */
    Duration after(int fetched, int asked, Duration longest) {
        if (fetched == asked) {
            next = FIRST;
            return Duration.ZERO;
        }
        if (fetched > 0) {
            next = FIRST;
        }
        Duration pause = shorter(next, longest);
        next = shorter(next.multipliedBy(2), longest);
        return pause;
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
