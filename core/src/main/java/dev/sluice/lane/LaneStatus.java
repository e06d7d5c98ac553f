package dev.sluice.lane;

import dev.sluice.model.Priority;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How a lane does now, and what its gateway is owed.
 *
 * @param state {@code up}, {@code away} or {@code unknown}
 * @param breaker {@code closed}, {@code open} or {@code half_open}
 * @param queued waiting in memory, by class
 * @param inFlight batches under way
 * @param behind classes that are read again from a position
 * @param lag age of the oldest change the gateway is owed and has not acknowledged, by the source's clock; zero if there
 *     is none
 * @param lastError why the last attempt failed; empty after one that succeeded
 */
public record LaneStatus(
        String gatewayId,
        String state,
        String breaker,
        Map<Priority, Integer> queued,
        int inFlight,
        List<Behind> behind,
        Duration lag,
        Optional<LastError> lastError) {

    /** Whether such a gateway is registered; the others are named by subscriptions only. */
    public boolean isKnown() {
        return !state.equals("unknown");
    }

    /** Whether nothing goes out but probes. */
    public boolean isBroken() {
        return !breaker.equals("closed");
    }

    /** Why an attempt at a gateway failed, and when. */
    public record LastError(String reason, Instant at) {}

    /** Why a group that is behind the tail does not read on, or that it does. */
    public enum Wait {
        READING,
        /** Its lane is full. */
        NO_ROOM,
        /** Its gateway is away, or the breaker is open. */
        UNREACHABLE,
        /** No known gateway serves it. */
        NO_GATEWAY,
        /** The gateway wants the events of its subscription later. */
        STUCK,
        /** Deliveries that were withdrawn have not landed yet. */
        IN_FLIGHT;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A group behind the tail.
     *
     * @param since when it fell behind
     * @param position the log, and the event up to which it has acknowledged everything
     * @param oldest no change that is still to be read is older than this; empty when there is none
     * @param members of a side group; 0 for a main group, which has all others of its gateway and priority
     */
    public record Behind(
            int partition,
            Priority priority,
            Instant since,
            String position,
            Optional<Instant> oldest,
            int members,
            Wait waits) {}

    /** The age of the oldest of them; zero if there is none. */
    public static Duration age(Stream<Instant> unacknowledged, Instant now) {
        return unacknowledged
                .min(Comparator.naturalOrder())
                .map(oldest -> Duration.between(oldest, now))
                .filter(Duration::isPositive)
                .orElse(Duration.ZERO);
    }
}
