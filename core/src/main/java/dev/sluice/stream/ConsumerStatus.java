package dev.sluice.stream;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * One connected consumer as operators see it.
 *
 * @param call its identity: two consumers may have one label
 * @param label what it calls itself
 * @param since when it connected
 * @param events how many it was sent
 */
public record ConsumerStatus(
        long call,
        String label,
        String peer,
        Instant since,
        State state,
        long events,
        List<BackendPosition> positions) {
    /** What it is doing. */
    public enum State {
        LIVE,
        CATCHING_UP,
        COALESCING,
        SLOW,
        PAUSED
    }

    /** About how many events it has not got yet, over all backends. */
    public long eventsBehind() {
        return positions.stream().mapToLong(BackendPosition::eventsBehind).sum();
    }

    /** By the source's clock, in the backend where it is furthest behind. */
    public long secondsBehind() {
        return positions.stream()
                .mapToLong(BackendPosition::secondsBehind)
                .max()
                .orElse(0);
    }

    /** When retention will first take away what it has not read; empty for one that keeps up. */
    public Optional<Duration> untilOvertaken() {
        return positions.stream()
                .flatMap(position -> position.untilOvertaken().stream())
                .min(Comparator.naturalOrder());
    }
}
