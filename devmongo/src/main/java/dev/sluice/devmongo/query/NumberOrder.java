package dev.sluice.devmongo.query;

import java.math.BigDecimal;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNumber;
import org.bson.types.Decimal128;

/** Compares int, long, double and decimal by their exact value; NaN is the smallest number and equals itself. */
final class NumberOrder {
    /** Every long below this is exact as a double. */
    private static final long EXACT_IN_DOUBLE = 1L << 53;

    private NumberOrder() {}

    static int compare(BsonNumber a, BsonNumber b) {
        if (isWhole(a) && isWhole(b)) {
            return Long.compare(a.longValue(), b.longValue());
        }
        if (fitsDouble(a) && fitsDouble(b)) {
            return compareDoubles(a.doubleValue(), b.doubleValue());
        }
        int ends = Integer.compare(end(a), end(b));
        return ends != 0 || end(a) != 0 ? ends : exact(a).compareTo(exact(b));
    }

    static boolean isNaN(BsonNumber number) {
        return end(number) == -2;
    }

    /** The exact value of a finite number. */
    static BigDecimal exact(BsonNumber number) {
        return switch (number.getBsonType()) {
            case INT32, INT64 -> BigDecimal.valueOf(number.longValue());
            case DECIMAL128 -> exact(number.decimal128Value());
            default -> new BigDecimal(number.doubleValue());
        };
    }

    private static BigDecimal exact(Decimal128 decimal) {
        try {
            return decimal.bigDecimalValue();
        } catch (ArithmeticException negativeZero) {
            return BigDecimal.ZERO;
        }
    }

    private static boolean isWhole(BsonNumber number) {
        return number instanceof BsonInt32 || number instanceof BsonInt64;
    }

    private static boolean fitsDouble(BsonNumber number) {
        return switch (number.getBsonType()) {
            case INT32, DOUBLE -> true;
            case INT64 -> number.longValue() < EXACT_IN_DOUBLE && number.longValue() > -EXACT_IN_DOUBLE;
            default -> false;
        };
    }

    /** Unlike {@link Double#compare}: zeros are equal, NaN comes first. */
    private static int compareDoubles(double a, double b) {
        if (a == b) {
            return 0;
        }
        if (Double.isNaN(a) || Double.isNaN(b)) {
            return Boolean.compare(Double.isNaN(b), Double.isNaN(a));
        }
        return a < b ? -1 : 1;
    }

    /** Where a number without a finite value stands: NaN -2, minus infinity -1, finite 0, infinity 1. */
    private static int end(BsonNumber number) {
        return switch (number.getBsonType()) {
            case DOUBLE -> {
                double value = number.doubleValue();
                yield Double.isNaN(value) ? -2 : Double.isInfinite(value) ? (int) Math.signum(value) : 0;
            }
            case DECIMAL128 -> {
                Decimal128 value = number.decimal128Value();
                yield value.isNaN() ? -2 : value.isInfinite() ? (value.isNegative() ? -1 : 1) : 0;
            }
            default -> 0;
        };
    }
}
