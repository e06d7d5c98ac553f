package dev.sluice.devmongo.query;

import dev.sluice.devmongo.CommandException;
import org.bson.BsonNull;
import org.bson.BsonNumber;
import org.bson.BsonType;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The five comparisons with a constant. Only values of the same kind of type compare; null also means missing. */
enum Comparison {
    EQ,
    GT,
    GTE,
    LT,
    LTE;

    ValueTest with(BsonValue operand) {
        if (operand instanceof BsonUndefined) {
            throw CommandException.badValue("cannot compare to undefined");
        }
        return switch (operand.getBsonType()) {
            case NULL -> value -> includesEqual() && isNothing(value);
            case MIN_KEY, MAX_KEY -> withEnd(operand);
            case INT32, INT64, DOUBLE, DECIMAL128 -> withNumber((BsonNumber) operand);
            default -> withinKind(operand);
        };
    }

    private ValueTest withinKind(BsonValue operand) {
        int kind = BsonOrder.kind(operand);
        return value ->
                value != null && BsonOrder.kind(value) == kind && accepts(BsonOrder.INSTANCE.compare(value, operand));
    }

    /** NaN is equal to NaN and neither above nor below any number. */
    private ValueTest withNumber(BsonNumber operand) {
        boolean operandIsNaN = NumberOrder.isNaN(operand);
        return value -> {
            if (!(value instanceof BsonNumber number)) {
                return false;
            }
            boolean valueIsNaN = NumberOrder.isNaN(number);
            return operandIsNaN || valueIsNaN
                    ? operandIsNaN && valueIsNaN && includesEqual()
                    : accepts(NumberOrder.compare(number, operand));
        };
    }

    /** Every value, even a missing one, lies between the ends. */
    private ValueTest withEnd(BsonValue operand) {
        BsonType end = operand.getBsonType();
        boolean outward = end == BsonType.MIN_KEY ? this == GT || this == GTE : this == LT || this == LTE;
        return value -> value != null && value.getBsonType() == end ? includesEqual() : outward;
    }

    private boolean includesEqual() {
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

    static boolean isNothing(@Nullable BsonValue value) {
        return value == null || value instanceof BsonNull || value instanceof BsonUndefined;
    }
}
