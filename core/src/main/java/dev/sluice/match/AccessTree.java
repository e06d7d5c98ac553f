package dev.sluice.match;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the filters worth trying on a document: by the values it has on their paths. Each filter is registered under its
 * cheapest terms at the time, or among the rest, which is tried on every document. When too many filters share one
 * value, they are told apart by a tree of their own below it, on their other paths.
 *
 * <p>Written under the index's lock, read by anyone (see {@link CandidateWalk}).
 */
final class AccessTree {
    private static final int SPLIT = 64;
    private static final int DEEPEST = 3;

    private final Set<FieldPath> used;
    private final PathNode paths = new PathNode();
    private volatile @Nullable Object rest;

    AccessTree() {
        this(Set.of());
    }

    /** @param used paths on which all filters in here agree already */
    private AccessTree(Set<FieldPath> used) {
        this.used = used;
    }

    PathNode paths() {
        return paths;
    }

    /** The bag of filters that can be found by no value. */
    @Nullable
    Object rest() {
        return rest;
    }

    boolean isEmpty() {
        return rest == null && paths.isBare();
    }

    void add(SharedFilter filter) {
        Set<Term> terms = Access.of(filter.filter()).cheapest(this::cost);
        if (terms == null) {
            rest = Bag.FILTERS.with(rest, filter);
        } else {
            terms.forEach(term -> register(term, filter));
        }
    }

    /** Takes it from wherever it may have been registered: what was cheapest then is not remembered. */
    void remove(SharedFilter filter) {
        rest = Bag.FILTERS.without(rest, filter);
        Access.of(filter.filter()).forEach(term -> unregister(term, filter));
    }

    /** About how many filters more are tried on a document that has this term. */
    private double cost(Term term) {
        if (used.contains(term.path())) {
            return Double.POSITIVE_INFINITY;
        }
        PathNode node = paths.find(term.path());
        return switch (term) {
            case Term.EqualTo equal -> 1 + filtersAt(node == null ? null : node.equalTo(), equal.hash());
            case Term.Prefixed prefix ->
                2 + filtersAt(node == null ? null : node.prefixes(prefix.length()), prefix.hash());
            case Term.Within within -> rangesAround(node, within);
        };
    }

    /** A range that is open on one side holds half of all values: only what can be found by nothing else goes by it. */
    private static double rangesAround(@Nullable PathNode node, Term.Within range) {
        byte[] low = range.low();
        byte[] high = range.high();
        if (low == null || high == null) {
            return 2 * SPLIT;
        }
        return 1.5 + (node == null ? 0 : Interval.count(node.intervals(range.kind()), low, SPLIT));
    }

    private static int filtersAt(@Nullable ProbeTable<Object> postings, long hash) {
        Object posting = postings == null ? null : postings.get(ValueHash.key(hash));
        return posting instanceof AccessTree ? SPLIT : Bag.size(posting);
    }

    private void register(Term term, SharedFilter filter) {
        PathNode node = paths.obtain(term.path());
        switch (term) {
            case Term.EqualTo equal -> post(node.obtainEqualTo(), equal.hash(), term.path(), filter);
            case Term.Prefixed prefix -> post(node.obtainPrefixes(prefix.length()), prefix.hash(), null, filter);
            case Term.Within within -> {
                if (!isRegistered(node, within, filter)) {
                    node.changeInterval(within, 1, bag -> Bag.FILTERS.with(bag, filter));
                }
            }
        }
    }

    /** @param agreed the path on which all filters here have one value, if that is so: the next tree need not look at it */
    private void post(ProbeTable<Object> postings, long hash, @Nullable FieldPath agreed, SharedFilter filter) {
        int key = ValueHash.key(hash);
        Object posting = postings.get(key);
        if (posting instanceof AccessTree tree) {
            tree.add(filter);
            return;
        }
        Object bag = Bag.FILTERS.with(posting, filter);
        int size = Bag.size(bag);
        boolean grown = size >= SPLIT && Integer.bitCount(size) == 1;
        AccessTree tree = grown && agreed != null && used.size() < DEEPEST ? split((ProbeTable<?>) bag, agreed) : null;
        postings.set(key, tree == null ? bag : tree);
    }

    /** A tree of these filters, or null if most of them could be found by nothing else. */
    private @Nullable AccessTree split(ProbeTable<?> bag, FieldPath agreed) {
        Set<FieldPath> deeper = new HashSet<>(used);
        deeper.add(agreed);
        AccessTree tree = new AccessTree(Set.copyOf(deeper));
        ProbeTable.Slots slots = bag.slots();
        for (int slot = 0; slot < slots.capacity(); slot++) {
            if (slots.at(slot) instanceof SharedFilter filter) {
                tree.add(filter);
            }
        }
        return 2 * Bag.size(tree.rest) > bag.size() ? null : tree;
    }

    private void unregister(Term term, SharedFilter filter) {
        PathNode node = paths.find(term.path());
        if (node == null) {
            return;
        }
        switch (term) {
            case Term.EqualTo equal -> unpost(node.equalTo(), equal.hash(), filter);
            case Term.Prefixed prefix -> unpost(node.prefixes(prefix.length()), prefix.hash(), filter);
            case Term.Within within -> {
                if (isRegistered(node, within, filter)) {
                    node.changeInterval(within, -1, bag -> Bag.FILTERS.without(bag, filter));
                }
            }
        }
        node.prune();
    }

    private static void unpost(@Nullable ProbeTable<Object> postings, long hash, SharedFilter filter) {
        int key = ValueHash.key(hash);
        Object posting = postings == null ? null : postings.get(key);
        if (postings == null || posting == null) {
            return;
        }
        Object left;
        if (posting instanceof AccessTree tree) {
            tree.remove(filter);
            left = tree.isEmpty() ? null : tree;
        } else {
            left = Bag.FILTERS.without(posting, filter);
        }
        if (left == null) {
            postings.remove(key, each -> true);
        } else {
            postings.set(key, left);
        }
    }

    private static boolean isRegistered(PathNode node, Term.Within range, SharedFilter filter) {
        Object bag = Interval.find(node.intervals(range.kind()), range.low(), range.high());
        return Bag.FILTERS.contains(bag, filter);
    }
}
