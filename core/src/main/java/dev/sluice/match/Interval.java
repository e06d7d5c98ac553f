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
    private final Object filters;
    private final int priority;
    private final @Nullable Interval left;
    private final @Nullable Interval right;

    private Interval(Interval like, Object filters, @Nullable Interval left, @Nullable Interval right) {
        this(like.low, like.high, filters, like.priority, left, right);
    }

    private Interval(
            byte @Nullable [] low,
            byte @Nullable [] high,
            Object filters,
            int priority,
            @Nullable Interval left,
            @Nullable Interval right) {
        this.low = low;
        this.high = high;
        this.filters = filters;
        this.priority = priority;
        this.left = left;
        this.right = right;
        this.highest = highest(highest(high, left), right);
    }

    private static byte @Nullable [] highest(byte @Nullable [] high, @Nullable Interval below) {
        return below == null || compareHigh(high, below.highest) >= 0 ? high : below.highest;
    }

    /** Receives the bags of filters whose intervals overlap. */
    interface Visitor {
        void overlapping(Object filters);
    }

    /** Visits the intervals that lie neither wholly below the least value nor wholly above the most. */
    static void visit(
            @Nullable Interval root, byte[] bytes, int leastType, int least, int mostType, int most, Visitor visitor) {
        Interval node = root;
        while (node != null && reaches(node.highest, bytes, leastType, least)) {
            visit(node.left, bytes, leastType, least, mostType, most, visitor);
            boolean begun = node.low == null
                    || ValueOrder.compare(bytes, mostType, most, node.low, RawValues.type(node.low, 0), 1) >= 0;
            if (!begun) {
                return;
            }
            if (reaches(node.high, bytes, leastType, least)) {
                visitor.overlapping(node.filters);
            }
            node = node.right;
        }
    }

    private static boolean reaches(byte @Nullable [] high, byte[] bytes, int type, int at) {
        return high == null || ValueOrder.compare(bytes, type, at, high, RawValues.type(high, 0), 1) <= 0;
    }

    /** How many filters there are whose intervals hold this value; counting ends about where {@code enough} is reached. */
    static int count(@Nullable Interval root, byte[] value, int enough) {
        int count = 0;
        int type = RawValues.type(value, 0);
        Interval node = root;
        while (node != null && count < enough && reaches(node.highest, value, type, 1)) {
            count += count(node.left, value, enough - count);
            if (compareLow(node.low, value) > 0) {
                return count;
            }
            count += reaches(node.high, value, type, 1) ? Bag.size(node.filters) : 0;
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
            int priority = ThreadLocalRandom.current().nextInt();
            return filters == null ? null : new Interval(low, high, filters, priority, null, null);
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
