package dev.sluice.route;

import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Subscriptions that were given another priority while something of theirs was on its way: they keep the old class until
 * nothing of it is, or the new class would overtake it. Guarded by its partition's lock.
 */
final class ClassChanges {
    private final Map<String, Old> changes = new HashMap<>();

    private static final class Old {
        private final String owner;
        private final Priority priority;
        private long outstanding;

        Old(String owner, Priority priority, long outstanding) {
            this.owner = owner;
            this.priority = priority;
            this.outstanding = outstanding;
        }
    }

    /** @param outstanding how many matches of it the old class holds */
    void change(Subscription subscription, Priority old, long outstanding) {
        Old before = changes.get(subscription.id());
        if (before == null) {
            changes.put(subscription.id(), new Old(Router.owner(subscription), old, outstanding));
        } else if (before.priority == subscription.priority()) {
            changes.remove(subscription.id());
        }
    }

    Priority of(Subscription subscription) {
        Old old = changes.isEmpty() ? null : changes.get(subscription.id());
        return old == null ? subscription.priority() : old.priority;
    }

    boolean isChanging(String subscriptionId) {
        return !changes.isEmpty() && changes.containsKey(subscriptionId);
    }

    /** Whether the old class holds nothing of it. */
    boolean isIdle(String subscriptionId) {
        Old old = changes.get(subscriptionId);
        return old == null || old.outstanding <= 0;
    }

    void given(String subscriptionId, Priority priority) {
        count(subscriptionId, priority, 1);
    }

    void settled(Owed owed) {
        count(owed.subscriptionId, owed.priority, -1);
    }

    private void count(String subscriptionId, Priority priority, int by) {
        Old old = changes.isEmpty() ? null : changes.get(subscriptionId);
        if (old != null && old.priority == priority) {
            old.outstanding += by;
        }
    }

    /** Every change that is not over, with the class it comes from. */
    void each(BiConsumer<String, SavedPosition.LaneKey> action) {
        changes.forEach((id, old) -> action.accept(id, new SavedPosition.LaneKey(old.owner, old.priority)));
    }

    void forget(String subscriptionId) {
        changes.remove(subscriptionId);
    }
}
