package dev.sluice.subscribe;

import dev.sluice.match.Filter;
import dev.sluice.match.SubscriptionIndex;
import org.jspecify.annotations.Nullable;

/**
 * A change with the compiled filters by which the index finds its subscription.
 *
 * @param earlier of the record before; null when there was none, or when the index need not change
 * @param later of the record now; null when there is none, or when the index need not change
 */
record IndexedChange(
        RegistryChange change,
        @Nullable Filter earlier,
        @Nullable Filter later) {
    /** A change that puts a definition into the index, perhaps in the place of another one. */
    static IndexedChange defined(RegistryChange change, Filter later, SubscriptionIndex index) {
        SubscriptionRecord before = change.before();
        return new IndexedChange(change, before == null ? null : index.parse(before.definition()), later);
    }

    static IndexedChange ended(RegistryChange change, SubscriptionRecord before, SubscriptionIndex index) {
        return new IndexedChange(change, index.parse(before.definition()), null);
    }

    /** A change of the record that leaves its definition as it is. */
    static IndexedChange kept(RegistryChange change) {
        return new IndexedChange(change, null, null);
    }

    /** Brings the index up to date. */
    void apply(SubscriptionIndex index) {
        SubscriptionRecord before = change.before();
        SubscriptionRecord now = change.now();
        if (now != null && later != null) {
            if (before != null && earlier != null) {
                index.replace(before.definition(), earlier, now.definition(), later);
            } else {
                index.add(now.definition(), later);
            }
        } else if (before != null && earlier != null) {
            index.remove(before.definition(), earlier);
        }
    }
}
