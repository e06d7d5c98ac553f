package dev.sluice.route;

import dev.sluice.model.Position;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Where one subscription stands in the partitions this member owns, and why it waits.
 *
 * @param revision of its record
 * @param home where it belongs, in words
 * @param gateways that serve it or should
 * @param standings by partition, then log, then gateway
 */
public record SubscriptionStatus(long revision, String home, List<Receiver> gateways, List<Standing> standings) {
    /**
     * A gateway.
     *
     * @param state {@code up}, {@code away} or {@code unknown}, which is not registered
     * @param lastError why the last attempt failed; empty after one that succeeded
     */
    public record Receiver(String id, String state, boolean breakerOpen, String lastError) {}

    /** The delivery group that a subscription is in. */
    public enum GroupKind {
        /** With all others of its gateway and priority. */
        MAIN,
        /** With the few that stand elsewhere. */
        SIDE,
        /** Alone, because its gateway keeps wanting its events later. */
        STUCK,
        /** Not known now: the partition has not placed it, or did not answer. */
        UNKNOWN;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What becomes of the one batch of a subscription that may be unacknowledged. */
    public enum Batch {
        NONE,
        IN_FLIGHT,
        /** It waits to be sent again, or its refused events to be stored as dead letters. */
        RETRY;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One log of one partition; a broadcast has one for each gateway.
     *
     * @param log empty when the partition does not know its logs yet
     * @param gateway that serves it now; empty: none does
     * @param cursor of its group; empty when that is not known
     * @param batch of this subscription that is not acknowledged
     * @param resyncOwed a RESYNC for it, or for members of its group, is not acknowledged
     * @param waits why it waits, in words; empty when nothing waits
     */
    public record Standing(
            int partition,
            String log,
            String gateway,
            GroupKind group,
            Optional<Cursor> cursor,
            Batch batch,
            boolean resyncOwed,
            String waits) {
        /** At the tail, with everything acknowledged. */
        public boolean isAtRest() {
            return cursor.isPresent()
                    && cursor.get().isAtTail()
                    && batch == Batch.NONE
                    && !resyncOwed
                    && waits.isEmpty();
        }
    }

    /**
     * Places of a group in the log.
     *
     * @param acked up to here everything is acknowledged
     * @param read up to here matches were handed to the gateway's lane
     * @param tail up to here the partition has read the log
     * @param events of the partition between {@code acked} and the tail; empty when not all of them are in memory
     * @param behind cluster time between {@code acked} and the tail
     */
    public record Cursor(Position acked, Position read, Position tail, OptionalInt events, Duration behind) {
        public boolean isAtTail() {
            return acked.compareTo(tail) >= 0;
        }
    }
}
