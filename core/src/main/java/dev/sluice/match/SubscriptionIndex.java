package dev.sluice.match;

import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * All subscriptions, arranged so that what an event costs follows from how many it matches and not from how many there
 * are: by collection and tenant, then by document id or by the values that filters ask for. Subscriptions that ask the
 * same share one node.
 *
 * <p>Changing takes a lock, matching never waits: a match that runs while a subscription is added or removed sees it or
 * not; one that begins after {@link #add} returned sees it. A {@link #replace} is never missed by an event that answers
 * both the old and the new. Whoever owns the index keeps subscriptions by id: the same id is never added twice.
 */
public final class SubscriptionIndex {
    private static final int POOLED = 16 * 1024;

    private final Map<String, CollectionIndex> collections = new ConcurrentHashMap<>();
    private final FilterPool pool = new FilterPool(POOLED);
    private final ReentrantLock changing = new ReentrantLock();

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock only
    private volatile long changes;

    @SuppressWarnings("NonAtomicVolatileUpdate")
    private volatile long replaced;

    @SuppressWarnings("NonAtomicVolatileUpdate")
    private volatile int size;

    public int size() {
        return size;
    }

    /** @throws InvalidInputException one sentence that says what is wrong with its filter */
    public void add(Subscription subscription) {
        add(subscription, parse(subscription));
    }

    /** @param filter the subscription's own, compiled before by {@link #parse} */
    public void add(Subscription subscription, Filter filter) {
        change(() -> size += collection(subscription).add(subscription, filter) ? 1 : 0);
    }

    /** Returns whether it was there. */
    public boolean remove(Subscription subscription) {
        return remove(subscription, parse(subscription));
    }

    /** @param filter the subscription's own, compiled before by {@link #parse} */
    public boolean remove(Subscription subscription, Filter filter) {
        boolean[] removed = new boolean[1];
        change(() -> removed[0] = removeParsed(subscription, filter));
        return removed[0];
    }

    /**
     * Puts a subscription in the place of an earlier one of the same id.
     *
     * @throws InvalidInputException when the new filter is wrong; the old subscription stays then
     */
    public void replace(Subscription earlier, Subscription later) {
        replace(earlier, later, parse(later));
    }

    /** @param after the later one's own filter, compiled before by {@link #parse} */
    public void replace(Subscription earlier, Subscription later, Filter after) {
        replace(earlier, parse(earlier), later, after);
    }

    /**
     * @param before the earlier one's own filter, compiled before by {@link #parse}
     * @param after the later one's own filter
     */
    public void replace(Subscription earlier, Filter before, Subscription later, Filter after) {
        change(() -> {
            if (asksAlike(earlier, later) && before.equals(after)) {
                size += collection(later).add(later, after) ? 1 : 0;
                if (!Scope.Audience.of(earlier).equals(Scope.Audience.of(later))) {
                    replaced++;
                    collection(later).leavesItsAudience(earlier);
                }
            } else {
                size += collection(later).add(later, after) ? 1 : 0;
                // An event that looked where the later one was not yet must not find the earlier one gone: it looks
                // again.
                replaced++;
                removeParsed(earlier, before);
            }
        });
    }

    private void change(Runnable step) {
        changing.lock();
        try {
            changes++;
            step.run();
        } finally {
            changes++;
            changing.unlock();
        }
    }

    private static boolean asksAlike(Subscription a, Subscription b) {
        return a.collection().equals(b.collection())
                && a.tenant().equals(b.tenant())
                && a.documentId().equals(b.documentId())
                && a.transitions() == b.transitions();
    }

    /** For one thread: it keeps scratch space between events. */
    public Matcher matcher() {
        return new Matcher(this);
    }

    /**
     * Compiles its filter, of parts that others share where it can.
     *
     * @throws InvalidInputException one sentence that says what is wrong with it
     */
    public Filter parse(Subscription subscription) {
        return new FilterParser(pool).parse(subscription.filter());
    }

    private CollectionIndex collection(Subscription subscription) {
        return collections.computeIfAbsent(subscription.collection(), name -> new CollectionIndex());
    }

    private boolean removeParsed(Subscription subscription, Filter filter) {
        CollectionIndex collection = collections.get(subscription.collection());
        boolean removed = collection != null && collection.remove(subscription, filter);
        size -= removed ? 1 : 0;
        if (collection != null && collection.isEmpty()) {
            collections.remove(subscription.collection());
        }
        return removed;
    }

    @Nullable
    CollectionIndex collection(String name) {
        return collections.get(name);
    }

    Collection<CollectionIndex> collections() {
        return collections.values();
    }

    /** Grows before and after anything changes: odd while something does. */
    long changes() {
        return changes;
    }

    /** Changes whenever a subscription moved from one place of the index to another. */
    long replaced() {
        return replaced;
    }

    void withoutChanges(Runnable work) {
        changing.lock();
        try {
            work.run();
        } finally {
            changing.unlock();
        }
    }
}
