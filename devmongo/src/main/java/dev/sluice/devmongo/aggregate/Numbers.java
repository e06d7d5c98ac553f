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
            case DECIMAL -> decimal(exact(a).add(exact(b), MathContext.DECIMAL128));
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
            case DECIMAL -> decimal(exact(a).multiply(exact(b), MathContext.DECIMAL128));
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
            case DECIMAL -> decimal(exact(a).subtract(exact(b), MathContext.DECIMAL128));
            case DOUBLE -> new BsonDouble(a.doubleValue() - b.doubleValue());
            case LONG, INT -> whole(a.longValue() - b.longValue(), a, b);
        };
    }

    static BsonNumber divide(BsonNumber a, BsonNumber b) {
        return wider(a, b) == Width.DECIMAL
                ? decimal(exact(a).divide(exact(b), MathContext.DECIMAL128))
                : new BsonDouble(a.doubleValue() / b.doubleValue());
    }

    static BsonNumber remainder(BsonNumber a, BsonNumber b) {
        return switch (wider(a, b)) {
            case DECIMAL -> decimal(exact(a).remainder(exact(b), MathContext.DECIMAL128));
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

    private static BigDecimal exact(BsonNumber number) {
        return number instanceof BsonDouble
                ? BigDecimal.valueOf(number.doubleValue())
                : number.decimal128Value().bigDecimalValue();
    }

    private static BsonNumber decimal(BigDecimal value) {
        return new BsonDecimal128(new Decimal128(value));
    }
}
