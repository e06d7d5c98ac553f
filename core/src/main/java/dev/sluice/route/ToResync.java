package dev.sluice.route;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The subscriptions that are to be sent RESYNC, as a saved position keeps them.
 *
 * @param all every subscription there is
 * @param subscriptions ids, where not all are meant
 */
record ToResync(boolean all, Set<String> subscriptions) {
    static final ToResync NONE = new ToResync(false, Set.of());
    static final ToResync ALL = new ToResync(true, Set.of());

    ToResync {
        subscriptions = all ? Set.of() : Set.copyOf(subscriptions);
    }

    boolean isEmpty() {
        return !all && subscriptions.isEmpty();
    }

    ToResync and(ToResync other) {
        Set<String> both = new LinkedHashSet<>(subscriptions);
        both.addAll(other.subscriptions);
        return new ToResync(all || other.all, both);
    }
}
