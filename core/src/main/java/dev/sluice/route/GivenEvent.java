package dev.sluice.route;

import dev.sluice.lane.GroupEvent;
import dev.sluice.lane.PendingDelivery;
import dev.sluice.model.Position;
import org.jspecify.annotations.Nullable;

/**
 * One event that one group was given, until all its matches are settled. It links itself into the list of its {@link Group},
 * so that a settled event leaves at once, wherever it stands: a single event that is stuck does not keep those behind it in
 * memory. For the partition's thread.
 */
final class GivenEvent implements GroupEvent {
    final Position position;

    /** The group's {@code read} before it: everything up to there was handed over earlier. */
    final Position before;

    /** Subscriptions are told that events are missing. */
    final boolean gap;

    Group group;
    int outstanding;

    /** The group was put back: it is counted no more. */
    boolean voided;

    @Nullable
    GivenEvent previous;

    @Nullable
    GivenEvent next;

    GivenEvent(Group group, Position before, Position position, boolean gap) {
        this.group = group;
        this.before = before;
        this.position = position;
        this.gap = gap;
    }

    /** The event that a delivery is part of; null: it is no group's. */
    static @Nullable GivenEvent of(PendingDelivery delivery) {
        return (GivenEvent) delivery.given;
    }

    /** Whether a delivery is part of an event that this group was given. */
    static boolean isOf(PendingDelivery delivery, Group group) {
        GivenEvent given = of(delivery);
        return given != null && given.group == group;
    }

    @Override
    public boolean isStuck() {
        return group.stuck;
    }

    @Override
    public boolean isBroadcast() {
        return group.key.isBroadcast();
    }
}
