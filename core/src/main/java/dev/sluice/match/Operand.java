package dev.sluice.match;

import dev.sluice.model.InvalidInputException;

/** A constant of a filter, cut out of it: one byte of type, then the value as it stands in BSON. */
final class Operand {
    private Operand() {}

    static byte[] of(byte[] bytes, int type, int at) {
        requireComparable(bytes, type, at);
        int size = RawValues.size(bytes, type, at);
        byte[] operand = new byte[1 + size];
        operand[0] = (byte) type;
        System.arraycopy(bytes, at, operand, 1, size);
        return operand;
    }

    private static void requireComparable(byte[] bytes, int type, int at) {
        switch (type) {
            case RawValues.UNDEFINED, RawValues.DB_POINTER, RawValues.JAVASCRIPT_WITH_SCOPE ->
                throw new InvalidInputException(
                        "a filter cannot compare with undefined, a database pointer, or code with a scope");
            case RawValues.DOCUMENT, RawValues.ARRAY -> {
                for (int element = at + RawValues.HEADER; bytes[element] != 0; ) {
                    int inner = RawValues.type(bytes, element);
                    int value = RawValues.value(bytes, element);
                    requireComparable(bytes, inner, value);
                    element = RawValues.next(bytes, inner, value);
                }
            }
            default -> {}
        }
    }
}
