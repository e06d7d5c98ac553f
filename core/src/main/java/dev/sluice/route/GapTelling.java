package dev.sluice.route;

import dev.sluice.model.Position;
import java.util.ArrayDeque;
import java.util.Collection;

/** RESYNC for the members of a group whose events are no longer kept, in portions. */
final class GapTelling {
    /** Everything behind it can be read. */
    final Position oldest;

    final ArrayDeque<String> subscriptionIds;

    GapTelling(Position oldest, Collection<String> subscriptionIds) {
        this.oldest = oldest;
        this.subscriptionIds = new ArrayDeque<>(subscriptionIds);
    }
}
