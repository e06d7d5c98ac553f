package dev.sluice.match;

import org.jspecify.annotations.Nullable;

/**
 * One object for all subscriptions of a scope that ask the same: it stands in the access tree once and is evaluated
 * once per event, however many subscribe.
 */
final class SharedFilter {
    private final Filter filter;
    private final @Nullable Narrowing narrowing;
    private volatile @Nullable Object subscribers;

    /**
     * What few subscriptions have besides their filter.
     *
     * @param documentId only this document; null: all
     * @param transitions it also hears of documents that begin and cease to match
     */
    record Narrowing(@Nullable String documentId, boolean transitions) {
        /** Of subscriptions to everything that also want transitions. */
        static final Narrowing TRANSITIONS = new Narrowing(null, true);

        int hash() {
            return (documentId == null ? 0 : ValueHash.ofText(documentId)) + (transitions ? 1 : 0);
        }
    }

    SharedFilter(Filter filter, @Nullable Narrowing narrowing) {
        this.filter = filter;
        this.narrowing = narrowing;
    }

    Filter filter() {
        return filter;
    }

    @Nullable
    String documentId() {
        return narrowing == null ? null : narrowing.documentId;
    }

    boolean transitions() {
        return narrowing != null && narrowing.transitions;
    }

    boolean asks(Filter other, @Nullable Narrowing otherwise) {
        boolean alike = narrowing == null ? otherwise == null : narrowing.equals(otherwise);
        return alike && filter.equals(other);
    }

    int hashOfFilter() {
        return hash(filter, narrowing);
    }

    static int hash(Filter filter, @Nullable Narrowing narrowing) {
        return 31 * filter.hashCode() + (narrowing == null ? 0 : narrowing.hash());
    }

    /** A bag of subscriptions, see {@link Bag}. */
    @Nullable
    Object subscribers() {
        return subscribers;
    }

    void subscribers(@Nullable Object bag) {
        subscribers = bag;
    }
}
