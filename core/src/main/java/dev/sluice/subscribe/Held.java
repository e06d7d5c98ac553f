package dev.sluice.subscribe;

import dev.sluice.model.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * A subscription with its place among those of its gateway and in the {@link ExpiryWheel}. There are a million of them,
 * so the lists they stand in go through them and need no object of their own.
 */
final class Held {
    SubscriptionRecord record;
    /** When it ends if nobody renews it, in seconds of the table's time. */
    int deadline;
    /** The second at which the wheel looks at it next; never later than the deadline. */
    int seat;

    @Nullable
    Held beforeInWheel;

    @Nullable
    Held afterInWheel;

    @Nullable
    Held beforeInGateway;

    @Nullable
    Held afterInGateway;

    Held(SubscriptionRecord record) {
        this.record = record;
    }

    Subscription subscription() {
        return record.definition();
    }
}
