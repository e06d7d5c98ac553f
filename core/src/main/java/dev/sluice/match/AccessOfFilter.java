package dev.sluice.match;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds a filter's terms. A term must never be narrower than the condition it stands for: the filter is evaluated anyway. */
final class AccessOfFilter {
    private static final Access NOWHERE = new Access.Nowhere();

    private final FieldPath base;
    private final boolean inElements;

    /**
     * @param base the path of the array whose elements are asked
     * @param inElements the filter is asked of array elements as documents, where a nested array passes for a document
     *     with its indexes as names: a path that begins with an index leads elsewhere then
     */
    private AccessOfFilter(FieldPath base, boolean inElements) {
        this.base = base;
        this.inElements = inElements;
    }

    static Access of(Filter filter) {
        return new AccessOfFilter(FieldPath.SELF, false).access(filter);
    }

    private Access access(Filter filter) {
        return switch (filter) {
            case Filter.AllOf all -> allOf(all.clauses());
            case Filter.AnyOf any ->
                Access.every(Arrays.stream(any.clauses()).map(this::access).toList());
            case Filter.Compare compare -> compare(compare);
            case Filter.OneOf oneOf -> oneOf(oneOf);
            case Filter.StartsWith prefix -> startsWith(prefix);
            case Filter.AnyElement element -> anyElement(element);
            case Filter.Not not -> NOWHERE;
            case Filter.Exists exists -> NOWHERE;
            case Filter.HasSize size -> NOWHERE;
        };
    }

    private Access allOf(Filter[] clauses) {
        List<Access> parts = new ArrayList<>();
        for (Filter clause : clauses) {
            parts.add(access(clause));
            if (clause instanceof Filter.Compare low && isLow(low.comparison())) {
                parts.add(between(low, clauses));
            }
        }
        return Access.choice(parts);
    }

    /** Both ends of a range on one path. Ends that cross can only be met by two elements of an array. */
    private Access between(Filter.Compare low, Filter[] clauses) {
        for (Filter clause : clauses) {
            if (clause instanceof Filter.Compare high && isHigh(high.comparison()) && areEnds(low, high)) {
                return within(low.path(), kind(low.operand()), low.operand(), high.operand());
            }
        }
        return NOWHERE;
    }

    private static boolean areEnds(Filter.Compare low, Filter.Compare high) {
        return low.path().equals(high.path())
                && isOrdered(low.operand())
                && isOrdered(high.operand())
                && kind(low.operand()) == kind(high.operand())
                && Interval.compare(low.operand(), high.operand()) <= 0;
    }

    private Access compare(Filter.Compare compare) {
        byte[] operand = compare.operand();
        Comparison comparison = compare.comparison();
        if (comparison == Comparison.EQ) {
            return equalTo(compare.path(), operand);
        }
        if (!isOrdered(operand)) {
            return NOWHERE;
        }
        byte[] low = isLow(comparison) ? operand : null;
        byte[] high = isHigh(comparison) ? operand : null;
        return within(compare.path(), kind(operand), low, high);
    }

    private Access within(FieldPath path, int kind, byte @Nullable [] low, byte @Nullable [] high) {
        FieldPath full = leads(path);
        return full == null ? NOWHERE : new Access.Leaf(new Term.Within(full, kind, low, high));
    }

    private Access equalTo(FieldPath path, byte[] operand) {
        FieldPath full = leads(path);
        int type = RawValues.type(operand, 0);
        boolean findable = !RawValues.isNothing(type) && type != RawValues.MIN_KEY && type != RawValues.MAX_KEY;
        return full == null || !findable
                ? NOWHERE
                : new Access.Leaf(new Term.EqualTo(full, ValueHash.of(operand, type, 1)));
    }

    private Access oneOf(Filter.OneOf oneOf) {
        if (oneOf.values().acceptsNothing()) {
            return NOWHERE;
        }
        return Access.every(Arrays.stream(oneOf.values().values())
                .map(value -> equalTo(oneOf.path(), value))
                .toList());
    }

    private Access startsWith(Filter.StartsWith prefix) {
        FieldPath full = leads(prefix.path());
        if (full == null) {
            return NOWHERE;
        }
        byte[] text = prefix.pattern().prefix();
        long hash = ValueHash.add(ValueOrder.TEXT, text, 0, text.length);
        Access sameStored = equalTo(prefix.path(), prefix.pattern().source());
        return Access.every(List.of(new Access.Leaf(new Term.Prefixed(full, text.length, hash)), sameStored));
    }

    /**
     * Elements lie where the path leads, seen from outside, with two exceptions: an array within an array is not entered
     * by paths, and an element named by its index is not taken apart.
     */
    private Access anyElement(Filter.AnyElement element) {
        FieldPath array = leads(element.path());
        if (array == null || element.path().length() == 0) {
            return NOWHERE;
        }
        if (!element.ofDocuments() && array.isIndex(array.length() - 1)) {
            return NOWHERE;
        }
        return new AccessOfFilter(array, element.ofDocuments()).access(element.inner());
    }

    /** The whole path, or null where values can be that this path, seen from outside, does not reach. */
    private @Nullable FieldPath leads(FieldPath path) {
        if (inElements && (path.length() == 0 || path.isIndex(0))) {
            return null;
        }
        return base.length() + path.length() > FieldPath.MAX_COMPONENTS ? null : base.then(path);
    }

    private static boolean isLow(Comparison comparison) {
        return comparison == Comparison.GT || comparison == Comparison.GTE;
    }

    private static boolean isHigh(Comparison comparison) {
        return comparison == Comparison.LT || comparison == Comparison.LTE;
    }

    private static int kind(byte[] operand) {
        return ValueOrder.kind(RawValues.type(operand, 0));
    }

    private static boolean isOrdered(byte[] operand) {
        int type = RawValues.type(operand, 0);
        return switch (type) {
            case RawValues.STRING, RawValues.SYMBOL, RawValues.OBJECT_ID, RawValues.DATE_TIME, RawValues.TIMESTAMP ->
                true;
            default -> RawNumbers.isNumber(type) && !RawNumbers.isNaN(operand, type, 1);
        };
    }
}
