package dev.sluice.match;

/** The five comparisons with a constant. Only values of the same kind of type compare; null also means missing. */
enum Comparison {
    EQ,
    GT,
    GTE,
    LT,
    LTE;

    /** @param operand its type, then its value */
    boolean holds(byte[] bytes, int type, int at, byte[] operand) {
        int wanted = RawValues.type(operand, 0);
        return switch (wanted) {
            case RawValues.NULL -> includesEqual() && RawValues.isNothing(type);
            case RawValues.MIN_KEY -> type == wanted ? includesEqual() : this == GT || this == GTE;
            case RawValues.MAX_KEY -> type == wanted ? includesEqual() : this == LT || this == LTE;
            case RawValues.INT32, RawValues.INT64, RawValues.DOUBLE, RawValues.DECIMAL128 ->
                RawNumbers.isNumber(type) && holdsForNumber(bytes, type, at, operand, wanted);
            default ->
                type != RawValues.MISSING
                        && ValueOrder.kind(type) == ValueOrder.kind(wanted)
                        && accepts(ValueOrder.compare(bytes, type, at, operand, wanted, 1));
        };
    }

    /** NaN is equal to NaN and neither above nor below any number. */
    private boolean holdsForNumber(byte[] bytes, int type, int at, byte[] operand, int wanted) {
        boolean valueIsNaN = RawNumbers.isNaN(bytes, type, at);
        boolean operandIsNaN = RawNumbers.isNaN(operand, wanted, 1);
        return valueIsNaN || operandIsNaN
                ? valueIsNaN && operandIsNaN && includesEqual()
                : accepts(RawNumbers.compare(bytes, type, at, operand, wanted, 1));
    }

    boolean includesEqual() {
        return this == EQ || this == GTE || this == LTE;
    }

    private boolean accepts(int order) {
        return switch (this) {
            case EQ -> order == 0;
            case GT -> order > 0;
            case GTE -> order >= 0;
            case LT -> order < 0;
            case LTE -> order <= 0;
        };
    }
}
