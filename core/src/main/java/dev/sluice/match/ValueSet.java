package dev.sluice.match;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The values of an {@code $in}, sorted and without repetition, so that a list of a thousand costs ten comparisons. Null
 * in it stands for missing too.
 *
 * @param values each its type, then its value
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content below
record ValueSet(byte[][] values, boolean acceptsNothing) {
    private static final Comparator<byte[]> ORDER =
            (a, b) -> ValueOrder.compare(a, RawValues.type(a, 0), 1, b, RawValues.type(b, 0), 1);

    static ValueSet of(List<byte[]> values) {
        List<byte[]> sorted = new ArrayList<>(values);
        sorted.sort(ORDER);
        List<byte[]> distinct = new ArrayList<>();
        boolean acceptsNothing = false;
        for (byte[] value : sorted) {
            if (RawValues.isNothing(RawValues.type(value, 0))) {
                acceptsNothing = true;
            } else if (distinct.isEmpty() || ORDER.compare(distinct.getLast(), value) != 0) {
                distinct.add(value);
            }
        }
        return new ValueSet(distinct.toArray(byte[][]::new), acceptsNothing);
    }

    boolean contains(byte[] bytes, int type, int at) {
        if (RawValues.isNothing(type)) {
            return acceptsNothing;
        }
        int low = 0;
        int high = values.length - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            byte[] value = values[middle];
            int order = ValueOrder.compare(bytes, type, at, value, RawValues.type(value, 0), 1);
            if (order == 0) {
                return true;
            }
            low = order > 0 ? middle + 1 : low;
            high = order < 0 ? middle - 1 : high;
        }
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ValueSet that
                && acceptsNothing == that.acceptsNothing
                && Arrays.deepEquals(values, that.values);
    }

    @Override
    public int hashCode() {
        int hash = Boolean.hashCode(acceptsNothing);
        for (byte[] value : values) {
            hash = 31 * hash + ValueHash.ofBytes(value);
        }
        return hash;
    }

    @Override
    public String toString() {
        return "ValueSet[" + values.length + (acceptsNothing ? " or missing]" : "]");
    }
}
