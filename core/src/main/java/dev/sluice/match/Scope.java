package dev.sluice.match;

import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one collection and one tenant (or of none). Written under the index's lock, read by anyone.
 */
final class Scope {
    private final ProbeTable<SharedFilter> filters = new ProbeTable<>();
    private final AccessTree access = new AccessTree();
    private final ProbeTable<Object> documents = new ProbeTable<>();
    private final Map<Audience, ProbeTable<Subscription>> filtered = new ConcurrentHashMap<>(4);
    private volatile int transitions;
    private int size;

    /** Those for whom one of them can stand: what they get keeps its order, as they are of one gateway and class. */
    record Audience(String gatewayId, Priority priority) {
        static Audience of(Subscription subscription) {
            return new Audience(subscription.gatewayId(), subscription.priority());
        }

        /** The same in every process, unlike an enum's own: so that a simulation comes out as before. */
        @Override
        public int hashCode() {
            return 31 * gatewayId.hashCode() + priority.ordinal();
        }
    }

    int size() {
        return size;
    }

    AccessTree access() {
        return access;
    }

    /** Every distinct question of this scope. */
    ProbeTable<SharedFilter> filters() {
        return filters;
    }

    /** Somebody wants to hear of documents that begin and cease to match. */
    boolean hasTransitions() {
        return transitions > 0;
    }

    /** The bag of filters on this document alone (and perhaps others whose ids have the same hash). */
    @Nullable
    Object onDocument(String documentId) {
        return documents.get(ValueHash.ofText(documentId));
    }

    /** Per gateway and priority, the subscriptions with a filter that name no document. */
    Iterable<Map.Entry<Audience, ProbeTable<Subscription>>> filteredByAudience() {
        return filtered.entrySet();
    }

    /** Returns whether it was not there; in the place of the same id with the same filter otherwise. */
    boolean add(Subscription subscription, Filter filter) {
        SharedFilter.Narrowing narrowing = narrowing(subscription);
        SharedFilter known = find(filter, narrowing);
        SharedFilter shared = known == null ? new SharedFilter(filter, narrowing) : known;
        boolean isNew = !Bag.SUBSCRIPTIONS.contains(shared.subscribers(), subscription);
        shared.subscribers(Bag.SUBSCRIPTIONS.with(shared.subscribers(), subscription));
        if (known == null) {
            register(shared);
        }
        size += isNew ? 1 : 0;
        transitions += isNew && subscription.transitions() ? 1 : 0;
        if (isUnsureOnDelete(shared)) {
            Bag.SUBSCRIPTIONS.put(
                    filtered.computeIfAbsent(Audience.of(subscription), audience -> new ProbeTable<>()), subscription);
        }
        return isNew;
    }

    private void register(SharedFilter shared) {
        String documentId = shared.documentId();
        if (documentId == null) {
            access.add(shared);
        } else {
            int key = ValueHash.ofText(documentId);
            documents.set(key, Bag.FILTERS.with(documents.get(key), shared));
        }
        filters.add(shared.hashOfFilter(), shared);
    }

    boolean remove(Subscription subscription, Filter filter) {
        SharedFilter shared = find(filter, narrowing(subscription));
        if (shared == null || !Bag.SUBSCRIPTIONS.contains(shared.subscribers(), subscription)) {
            return false;
        }
        Object left = Bag.SUBSCRIPTIONS.without(shared.subscribers(), subscription);
        shared.subscribers(left);
        if (left == null) {
            unregister(shared);
        }
        size--;
        transitions -= subscription.transitions() ? 1 : 0;
        if (isUnsureOnDelete(shared)) {
            forgetFiltered(subscription);
        }
        return true;
    }

    private void unregister(SharedFilter shared) {
        filters.remove(shared.hashOfFilter(), each -> each == shared);
        String documentId = shared.documentId();
        if (documentId == null) {
            access.remove(shared);
            return;
        }
        int key = ValueHash.ofText(documentId);
        Object left = Bag.FILTERS.without(documents.get(key), shared);
        if (left == null) {
            documents.remove(key, each -> true);
        } else {
            documents.set(key, left);
        }
    }

    /** A later subscription of the same id, which asks something else, stays. */
    void forgetFiltered(Subscription subscription) {
        Audience audience = Audience.of(subscription);
        ProbeTable<Subscription> alike = filtered.get(audience);
        if (alike != null) {
            alike.remove(
                    ValueHash.ofText(subscription.id()),
                    each -> each.id().equals(subscription.id())
                            && each.filter().equals(subscription.filter())
                            && each.transitions() == subscription.transitions());
            if (alike.size() == 0) {
                filtered.remove(audience);
            }
        }
    }

    @Nullable
    SharedFilter find(Filter filter, SharedFilter.@Nullable Narrowing narrowing) {
        return filters.find(SharedFilter.hash(filter, narrowing), each -> each.asks(filter, narrowing));
    }

    private static boolean isUnsureOnDelete(SharedFilter shared) {
        return shared.documentId() == null && !shared.filter().isEverything();
    }

    private static SharedFilter.@Nullable Narrowing narrowing(Subscription subscription) {
        return subscription.documentId().isEmpty() && !subscription.transitions()
                ? null
                : new SharedFilter.Narrowing(subscription.documentId().orElse(null), subscription.transitions());
    }
}
