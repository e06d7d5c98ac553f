package dev.sluice.route;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries of one subscription in one partition to one gateway. At most one batch of a flow is unacknowledged: while it
 * is under way, later deliveries of the flow wait, so that nothing of a subscription overtakes, and a gateway that drops
 * numbers at or below its last drops only repeats. Guarded by the gateway's lane, except for its numbers.
 */
final class Flow {
    final String subscriptionId;
    final String gatewayId;

    /** Another flow of the same subscription; null: there is none. For the partition's thread. */
    final @Nullable Flow other;

    private long last;

    /** Where a batch of it is under way; null: nowhere. */
    @Nullable
    ClassQueue busyIn;

    /** The take of that queue in which it became busy. */
    long takenIn;

    /** Deliveries that wait for the one under way, or for their turn; null: none. */
    @Nullable
    ArrayDeque<PendingDelivery> line;

    /** @param last the highest number that was used before */
    Flow(String subscriptionId, String gatewayId, @Nullable Flow other, long last) {
        this.subscriptionId = subscriptionId;
        this.gatewayId = gatewayId;
        this.other = other;
        this.last = last;
    }

    /** The next {@code seq}. */
    synchronized long nextSeq() {
        return ++last;
    }

    synchronized long lastSeq() {
        return last;
    }
}
