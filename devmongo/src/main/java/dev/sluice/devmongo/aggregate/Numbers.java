package dev.sluice.devmongo.aggregate;

import java.math.BigDecimal;
import java.math.MathContext;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNumber;
import org.bson.types.Decimal128;

/** MongoDB's arithmetic: the wider type wins, ints grow to longs, longs that overflow to doubles. */
public final class Numbers {
    private Numbers() {}

    public static BsonNumber add(BsonNumber a, BsonNumber b) {
        return switch (wider(a, b)) {
            case DECIMAL -> decimal(a, b, BigDecimal::add);
            case DOUBLE -> new BsonDouble(a.doubleValue() + b.doubleValue());
            case LONG, INT -> {
                long sum = a.longValue() + b.longValue();
                boolean overflow = ((a.longValue() ^ sum) & (b.longValue() ^ sum)) < 0;
                yield overflow ? new BsonDouble(a.doubleValue() + b.doubleValue()) : whole(sum, a, b);
            }
        };
    }

    public static BsonNumber multiply(BsonNumber a, BsonNumber b) {
        return switch (wider(a, b)) {
            case DECIMAL -> decimal(a, b, BigDecimal::multiply);
            case DOUBLE -> new BsonDouble(a.doubleValue() * b.doubleValue());
            case LONG, INT -> {
                boolean overflow =
                        Math.multiplyHigh(a.longValue(), b.longValue()) != (a.longValue() * b.longValue()) >> 63;
                yield overflow
                        ? new BsonDouble(a.doubleValue() * b.doubleValue())
                        : whole(a.longValue() * b.longValue(), a, b);
            }
        };
    }

    static BsonNumber subtract(BsonNumber a, BsonNumber b) {
        return switch (wider(a, b)) {
            case DECIMAL -> decimal(a, b, BigDecimal::subtract);
            case DOUBLE -> new BsonDouble(a.doubleValue() - b.doubleValue());
            case LONG, INT -> whole(a.longValue() - b.longValue(), a, b);
        };
    }

    static BsonNumber divide(BsonNumber a, BsonNumber b) {
        return wider(a, b) == Width.DECIMAL
                ? decimal(a, b, BigDecimal::divide)
                : new BsonDouble(a.doubleValue() / b.doubleValue());
    }

    static BsonNumber remainder(BsonNumber a, BsonNumber b) {
        return switch (wider(a, b)) {
            case DECIMAL -> decimal(a, b, BigDecimal::remainder);
            case DOUBLE -> new BsonDouble(a.doubleValue() % b.doubleValue());
            case LONG, INT -> whole(a.longValue() % b.longValue(), a, b);
        };
    }

    /** The narrowest integer type that is not narrower than the operands. */
    private static BsonNumber whole(long value, BsonNumber a, BsonNumber b) {
        boolean fits = wider(a, b) == Width.INT && value == (int) value;
        return fits ? new BsonInt32((int) value) : new BsonInt64(value);
    }

    private enum Width {
        INT,
        LONG,
        DOUBLE,
        DECIMAL
    }

    private static Width wider(BsonNumber a, BsonNumber b) {
        Width left = width(a);
        Width right = width(b);
        return left.compareTo(right) > 0 ? left : right;
    }

    private static Width width(BsonNumber number) {
        return switch (number.getBsonType()) {
            case INT32 -> Width.INT;
            case INT64 -> Width.LONG;
            case DECIMAL128 -> Width.DECIMAL;
            default -> Width.DOUBLE;
        };
    }

    private interface Calculation {
        BigDecimal apply(BigDecimal a, BigDecimal b, MathContext precision);
    }

    /** Exact to 34 digits; what has no finite decimal result is not a number. */
    private static BsonNumber decimal(BsonNumber a, BsonNumber b, Calculation calculation) {
        try {
            BigDecimal result = calculation.apply(exact(a), exact(b), MathContext.DECIMAL128);
            return new BsonDecimal128(new Decimal128(result));
        } catch (ArithmeticException | NumberFormatException notFinite) {
            return new BsonDecimal128(Decimal128.NaN);
        }
    }

    private static BigDecimal exact(BsonNumber number) {
        if (number instanceof BsonDouble) {
            return BigDecimal.valueOf(number.doubleValue());
        }
        Decimal128 decimal = number.decimal128Value();
        boolean zero = decimal.equals(Decimal128.NEGATIVE_ZERO);
        return zero ? BigDecimal.ZERO : decimal.bigDecimalValue();
    }
}
