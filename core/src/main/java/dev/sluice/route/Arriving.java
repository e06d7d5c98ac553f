package dev.sluice.route;

import dev.sluice.model.Subscription;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The subscriptions that are just being registered: where they begin is arranged, and the index does not show them yet.
 * Nobody begins to read again for their owner meanwhile: what is read now would not be found to be theirs, and is passed
 * for good. Any thread may call.
 */
final class Arriving {
    private final Map<String, Recipient> ownersById = new ConcurrentHashMap<>();

    /** To be called before any partition knows where it begins. */
    void add(Subscription subscription) {
        ownersById.put(subscription.id(), Router.owner(subscription));
    }

    /** The index shows it, or never will. */
    void remove(String subscriptionId) {
        ownersById.remove(subscriptionId);
    }

    boolean isAwaitedBy(Recipient owner) {
        return !ownersById.isEmpty() && ownersById.containsValue(owner.subject());
    }
}
