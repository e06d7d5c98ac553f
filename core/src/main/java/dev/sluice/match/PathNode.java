package dev.sluice.match;

import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One component of the paths that filters are found by, and what is registered on the path that ends here. A document
 * is walked along these nodes, so that what it costs depends on the document's fields and not on the number of paths.
 * Written under the index's lock, read by anyone.
 */
final class PathNode {
    private static final Prefixes[] NO_PREFIXES = {};

    private final @Nullable PathNode parent;
    private final byte[] name;
    private final int index;
    private volatile @Nullable ProbeTable<PathNode> children;
    private volatile @Nullable ProbeTable<Object> equalTo;
    private volatile Prefixes[] prefixes = NO_PREFIXES;
    private volatile @Nullable Interval @Nullable [] intervals;
    private volatile boolean indexed;
    private int ranges;

    /** What is registered under prefixes of one length in bytes. */
    record Prefixes(int length, ProbeTable<Object> postings) {}

    PathNode() {
        this(null, new byte[0]);
    }

    private PathNode(@Nullable PathNode parent, byte[] name) {
        this.parent = parent;
        this.name = name;
        this.index = FieldPath.index(name);
    }

    boolean hasChildren() {
        return children != null;
    }

    /** Postings by {@link ValueHash#key}, or null. */
    @Nullable
    ProbeTable<Object> equalTo() {
        return equalTo;
    }

    /** In ascending order of their lengths. */
    Prefixes[] prefixes() {
        return prefixes;
    }

    @Nullable
    ProbeTable<Object> prefixes(int length) {
        for (Prefixes each : prefixes) {
            if (each.length == length) {
                return each.postings;
            }
        }
        return null;
    }

    @Nullable
    Interval intervals(int kind) {
        @Nullable Interval[] roots = intervals;
        return roots == null ? null : roots[kind];
    }

    /** The child whose name stands at {@code at}, closed by zero, and has that key. */
    @Nullable
    PathNode child(byte[] bytes, int at, int key) {
        ProbeTable<PathNode> table = children;
        if (table == null) {
            return null;
        }
        ProbeTable.Slots slots = table.slots();
        for (int slot = slots.first(key); slot >= 0; slot = slots.next(key, slot)) {
            if (slots.at(slot) instanceof PathNode child && FieldPath.isNamed(bytes, at, child.name)) {
                return child;
            }
        }
        return null;
    }

    /** The child that names this element of an array. */
    @Nullable
    PathNode child(int element) {
        ProbeTable<PathNode> table = children;
        if (table == null || !indexed) {
            return null;
        }
        int key = ValueHash.key(hashOfDigits(element));
        ProbeTable.Slots slots = table.slots();
        for (int slot = slots.first(key); slot >= 0; slot = slots.next(key, slot)) {
            if (slots.at(slot) instanceof PathNode child && child.index == element) {
                return child;
            }
        }
        return null;
    }

    private static long hashOfDigits(int number) {
        long before = number < 10 ? 0 : hashOfDigits(number / 10);
        return ValueHash.addByte(before, (byte) ('0' + number % 10));
    }

    @Nullable
    PathNode find(FieldPath path) {
        PathNode node = this;
        for (int depth = 0; depth < path.length() && node != null; depth++) {
            node = node.child(path.name(depth));
        }
        return node;
    }

    PathNode obtain(FieldPath path) {
        PathNode node = this;
        for (int depth = 0; depth < path.length(); depth++) {
            PathNode child = node.child(path.name(depth));
            node = child == null ? node.newChild(path.name(depth)) : child;
        }
        return node;
    }

    private @Nullable PathNode child(byte[] wanted) {
        ProbeTable<PathNode> table = children;
        return table == null ? null : table.find(key(wanted), child -> Arrays.equals(child.name, wanted));
    }

    private PathNode newChild(byte[] childName) {
        ProbeTable<PathNode> known = children;
        ProbeTable<PathNode> table = known == null ? new ProbeTable<>() : known;
        PathNode child = new PathNode(this, childName);
        table.add(key(childName), child);
        indexed |= child.index >= 0;
        children = table;
        return child;
    }

    private static int key(byte[] childName) {
        return ValueHash.key(ValueHash.add(0, childName, 0, childName.length));
    }

    ProbeTable<Object> obtainEqualTo() {
        ProbeTable<Object> known = equalTo;
        ProbeTable<Object> table = known == null ? new ProbeTable<>() : known;
        equalTo = table;
        return table;
    }

    ProbeTable<Object> obtainPrefixes(int length) {
        ProbeTable<Object> known = prefixes(length);
        if (known != null) {
            return known;
        }
        Prefixes[] longer = Arrays.copyOf(prefixes, prefixes.length + 1);
        int at = prefixes.length;
        for (; at > 0 && prefixes[at - 1].length > length; at--) {
            longer[at] = prefixes[at - 1];
        }
        longer[at] = new Prefixes(length, new ProbeTable<>());
        prefixes = longer;
        return longer[at].postings;
    }

    void changeInterval(Term.Within range, int count, UnaryOperator<@Nullable Object> change) {
        @Nullable Interval[] old = intervals;
        @Nullable Interval[] roots = old == null ? new @Nullable Interval[ValueOrder.KINDS] : old.clone();
        roots[range.kind()] = Interval.change(roots[range.kind()], range.low(), range.high(), change);
        ranges += count;
        intervals = ranges == 0 ? null : roots;
    }

    /** Lets go of what is empty, and from here upwards of nodes on which nothing is registered any more. */
    void prune() {
        equalTo = orNull(equalTo);
        children = orNull(children);
        if (Arrays.stream(prefixes).anyMatch(each -> each.postings.size() == 0)) {
            prefixes = Arrays.stream(prefixes)
                    .filter(each -> each.postings.size() > 0)
                    .toArray(Prefixes[]::new);
        }
        if (parent != null && isBare()) {
            ProbeTable<PathNode> siblings = parent.children;
            if (siblings != null) {
                siblings.remove(key(name), each -> each == this);
            }
            parent.prune();
        }
    }

    boolean isBare() {
        return equalTo == null && children == null && prefixes.length == 0 && ranges == 0;
    }

    private static <V> @Nullable ProbeTable<V> orNull(@Nullable ProbeTable<V> table) {
        return table == null || table.size() == 0 ? null : table;
    }
}
