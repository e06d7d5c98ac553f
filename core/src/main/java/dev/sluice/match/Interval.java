package dev.sluice.match;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A tree of intervals over values of one kind: those that overlap a given one are found in logarithmic time and the
 * number found. Nodes never change, so a reader that holds a root sees one state; balanced by random priorities (a
 * treap), ordered by low end, then high end, each node with the highest end below it.
 */
final class Interval {
    private final byte @Nullable [] low;
    private final byte @Nullable [] high;
    private final byte @Nullable [] highest;
    private final long lowKey;
    private final long highKey;
    private final long highestKey;
    private final Object filters;
    private final int priority;
    private final @Nullable Interval left;
    private final @Nullable Interval right;

    private Interval(byte @Nullable [] low, byte @Nullable [] high, Object filters) {
        this.low = low;
        this.high = high;
        this.lowKey = low == null ? 0 : ValueOrder.sortKey(low, RawValues.type(low, 0), 1);
        this.highKey = high == null ? 0 : ValueOrder.sortKey(high, RawValues.type(high, 0), 1);
        this.filters = filters;
        this.priority = ThreadLocalRandom.current().nextInt();
        this.left = null;
        this.right = null;
        this.highest = high;
        this.highestKey = highKey;
    }

    private Interval(Interval like, Object filters, @Nullable Interval left, @Nullable Interval right) {
        this.low = like.low;
        this.high = like.high;
        this.lowKey = like.lowKey;
        this.highKey = like.highKey;
        this.filters = filters;
        this.priority = like.priority;
        this.left = left;
        this.right = right;
        byte[] most = high;
        long mostKey = highKey;
        if (left != null && compareHigh(most, left.highest) < 0) {
            most = left.highest;
            mostKey = left.highestKey;
        }
        if (right != null && compareHigh(most, right.highest) < 0) {
            most = right.highest;
            mostKey = right.highestKey;
        }
        this.highest = most;
        this.highestKey = mostKey;
    }

    /** Receives the bags of filters whose intervals overlap. */
    interface Visitor {
        void overlapping(Object filters);
    }

    /** Visits the intervals that lie neither wholly below the least value nor wholly above the most. */
    static void visit(
            @Nullable Interval root, byte[] bytes, int leastType, int least, int mostType, int most, Visitor visitor) {
        if (root != null) {
            long leastKey = ValueOrder.sortKey(bytes, leastType, least);
            long mostKey = ValueOrder.sortKey(bytes, mostType, most);
            visit(root, bytes, leastType, least, leastKey, mostType, most, mostKey, visitor);
        }
    }

    private static void visit(
            @Nullable Interval root,
            byte[] bytes,
            int leastType,
            int least,
            long leastKey,
            int mostType,
            int most,
            long mostKey,
            Visitor visitor) {
        Interval node = root;
        while (node != null && reaches(node.highest, node.highestKey, bytes, leastType, least, leastKey)) {
            visit(node.left, bytes, leastType, least, leastKey, mostType, most, mostKey, visitor);
            if (!begins(node.low, node.lowKey, bytes, mostType, most, mostKey)) {
                return;
            }
            if (reaches(node.high, node.highKey, bytes, leastType, least, leastKey)) {
                visitor.overlapping(node.filters);
            }
            node = node.right;
        }
    }

    /** Keys decide without a look at the value elsewhere in memory; only where they are equal is it compared. */
    private static boolean reaches(byte @Nullable [] high, long highKey, byte[] bytes, int type, int at, long key) {
        if (high == null || key < highKey) {
            return true;
        }
        return key == highKey && ValueOrder.compare(bytes, type, at, high, RawValues.type(high, 0), 1) <= 0;
    }

    private static boolean begins(byte @Nullable [] low, long lowKey, byte[] bytes, int type, int at, long key) {
        if (low == null || key > lowKey) {
            return true;
        }
        return key == lowKey && ValueOrder.compare(bytes, type, at, low, RawValues.type(low, 0), 1) >= 0;
    }

    /** How many filters there are whose intervals hold this value; counting ends about where {@code enough} is reached. */
    static int count(@Nullable Interval root, byte[] value, int enough) {
        int type = RawValues.type(value, 0);
        return count(root, value, type, ValueOrder.sortKey(value, type, 1), enough);
    }

    private static int count(@Nullable Interval root, byte[] value, int type, long key, int enough) {
        int count = 0;
        Interval node = root;
        while (node != null && count < enough && reaches(node.highest, node.highestKey, value, type, 1, key)) {
            count += count(node.left, value, type, key, enough - count);
            if (!begins(node.low, node.lowKey, value, type, 1, key)) {
                return count;
            }
            count += reaches(node.high, node.highKey, value, type, 1, key) ? Bag.size(node.filters) : 0;
            node = node.right;
        }
        return count;
    }

    /** The bag of filters of exactly this interval, or null. */
    static @Nullable Object find(@Nullable Interval root, byte @Nullable [] low, byte @Nullable [] high) {
        Interval node = root;
        while (node != null) {
            int order = compare(low, high, node);
            if (order == 0) {
                return node.filters;
            }
            node = order < 0 ? node.left : node.right;
        }
        return null;
    }

    private static int compare(byte @Nullable [] low, byte @Nullable [] high, Interval node) {
        int order = compareLow(low, node.low);
        return order != 0 ? order : compareHigh(high, node.high);
    }

    /**
     * The tree in which this interval's bag of filters is what {@code change} makes of it (null is no filter: there and
     * back).
     */
    static @Nullable Interval change(
            @Nullable Interval root,
            byte @Nullable [] low,
            byte @Nullable [] high,
            UnaryOperator<@Nullable Object> change) {
        if (root == null) {
            Object filters = change.apply(null);
            return filters == null ? null : new Interval(low, high, filters);
        }
        int order = compare(low, high, root);
        if (order == 0) {
            Object filters = change.apply(root.filters);
            return filters == null ? merge(root.left, root.right) : new Interval(root, filters, root.left, root.right);
        }
        return order < 0
                ? withLeft(root, change(root.left, low, high, change))
                : withRight(root, change(root.right, low, high, change));
    }

    private static Interval withLeft(Interval root, @Nullable Interval left) {
        if (left == null || left.priority <= root.priority) {
            return new Interval(root, root.filters, left, root.right);
        }
        Interval lowered = new Interval(root, root.filters, left.right, root.right);
        return new Interval(left, left.filters, left.left, lowered);
    }

    private static Interval withRight(Interval root, @Nullable Interval right) {
        if (right == null || right.priority <= root.priority) {
            return new Interval(root, root.filters, root.left, right);
        }
        Interval lowered = new Interval(root, root.filters, root.left, right.left);
        return new Interval(right, right.filters, lowered, right.right);
    }

    private static @Nullable Interval merge(@Nullable Interval left, @Nullable Interval right) {
        if (left == null || right == null) {
            return left == null ? right : left;
        }
        return left.priority > right.priority
                ? new Interval(left, left.filters, left.left, merge(left.right, right))
                : new Interval(right, right.filters, merge(left, right.left), right.right);
    }

    private static int compareLow(byte @Nullable [] a, byte @Nullable [] b) {
        return a == null || b == null ? Boolean.compare(a != null, b != null) : compare(a, b);
    }

    private static int compareHigh(byte @Nullable [] a, byte @Nullable [] b) {
        return a == null || b == null ? Boolean.compare(a == null, b == null) : compare(a, b);
    }

    static int compare(byte[] a, byte[] b) {
        return ValueOrder.compare(a, RawValues.type(a, 0), 1, b, RawValues.type(b, 0), 1);
    }
}
