package dev.sluice.lane;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries of one subscription in one partition through one lane. At most one batch of a flow is unacknowledged: while it
 * is under way, later deliveries of the flow wait, so that nothing of a subscription overtakes, and a gateway that drops
 * numbers at or below its last drops only repeats. Guarded by that lane, except for its numbers.
 */
public final class Flow {
    final String subscriptionId;
    final Lane lane;

    /** Another flow of the same subscription, through another lane; null: there is none. Guarded by {@link Flows}. */
    @Nullable
    Flow other;

    private final AtomicLong last;

    /** Where a batch of it is under way; null: nowhere. */
    @Nullable
    ClassQueue busyIn;

    /** Whether a delivery that stands for others waits for this flow while it is busy. */
    boolean holdsUpOthers;

    /** The take of that queue in which it became busy. */
    long takenIn;

    /** The queue that the line belongs to; null: there is no line. */
    @Nullable
    ClassQueue lineIn;

    /** Deliveries that wait for the one under way, or for their turn; null: none. */
    @Nullable
    ArrayDeque<PendingDelivery> line;

    /** @param last the highest number that was used before */
    Flow(String subscriptionId, Lane lane, @Nullable Flow other, long last) {
        this(subscriptionId, lane, other, new AtomicLong(last));
    }

    private Flow(String subscriptionId, Lane lane, @Nullable Flow other, AtomicLong last) {
        this.subscriptionId = subscriptionId;
        this.lane = lane;
        this.other = other;
        this.last = last;
    }

    /** A line for one delivery that stands for others: it may be of another class than its subscription is by now. */
    public Flow apart() {
        return new Flow(subscriptionId, lane, null, last);
    }

    /** The next {@code seq}. */
    long nextSeq() {
        return last.incrementAndGet();
    }

    long lastSeq() {
        return last.get();
    }
}
