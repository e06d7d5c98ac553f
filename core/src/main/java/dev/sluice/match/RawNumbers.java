package dev.sluice.match;

import java.math.BigDecimal;
import org.bson.types.Decimal128;

/** int, long, double and decimal by their exact value; NaN is the smallest number and equals itself. */
final class RawNumbers {
    private static final double TWO_TO_63 = 0x1p63;

    private RawNumbers() {}

    static boolean isNumber(int type) {
        return type == RawValues.INT32
                || type == RawValues.INT64
                || type == RawValues.DOUBLE
                || type == RawValues.DECIMAL128;
    }

    static boolean isNaN(byte[] bytes, int type, int at) {
        return switch (type) {
            case RawValues.DOUBLE -> Double.isNaN(real(bytes, at));
            case RawValues.DECIMAL128 -> decimal(bytes, at).isNaN();
            default -> false;
        };
    }

    static int compare(byte[] a, int typeA, int atA, byte[] b, int typeB, int atB) {
        if (isWhole(typeA)) {
            long x = whole(a, typeA, atA);
            if (isWhole(typeB)) {
                return Long.compare(x, whole(b, typeB, atB));
            }
            if (typeB == RawValues.DOUBLE) {
                return compare(x, real(b, atB));
            }
        } else if (typeA == RawValues.DOUBLE) {
            if (isWhole(typeB)) {
                return -compare(whole(b, typeB, atB), real(a, atA));
            }
            if (typeB == RawValues.DOUBLE) {
                return compare(real(a, atA), real(b, atB));
            }
        }
        return compareExactly(a, typeA, atA, b, typeB, atB);
    }

    private static int compare(long x, double y) {
        if (y >= TWO_TO_63) {
            return -1;
        }
        if (!(y >= -TWO_TO_63)) {
            return 1;
        }
        long floor = (long) y;
        int order = Long.compare(x, floor);
        return order != 0 ? order : compare(0.0, y - floor);
    }

    /** Unlike {@link Double#compare}: zeros are equal, NaN comes first. */
    private static int compare(double a, double b) {
        if (a == b) {
            return 0;
        }
        if (Double.isNaN(a) || Double.isNaN(b)) {
            return Boolean.compare(Double.isNaN(b), Double.isNaN(a));
        }
        return a < b ? -1 : 1;
    }

    private static int compareExactly(byte[] a, int typeA, int atA, byte[] b, int typeB, int atB) {
        int end = end(a, typeA, atA);
        int byEnd = Integer.compare(end, end(b, typeB, atB));
        return byEnd != 0 || end != 0 ? byEnd : exact(a, typeA, atA).compareTo(exact(b, typeB, atB));
    }

    /** Where a number without a finite value stands: NaN -2, minus infinity -1, finite 0, infinity 1. */
    private static int end(byte[] bytes, int type, int at) {
        return switch (type) {
            case RawValues.DOUBLE -> {
                double value = real(bytes, at);
                yield Double.isNaN(value) ? -2 : Double.isInfinite(value) ? (int) Math.signum(value) : 0;
            }
            case RawValues.DECIMAL128 -> {
                Decimal128 value = decimal(bytes, at);
                yield value.isNaN() ? -2 : value.isInfinite() ? (value.isNegative() ? -1 : 1) : 0;
            }
            default -> 0;
        };
    }

    /** Equal numbers have equal hashes, whatever their types. */
    static long hash(byte[] bytes, int type, int at) {
        return switch (type) {
            case RawValues.DOUBLE -> hash(real(bytes, at));
            case RawValues.DECIMAL128 -> hashDecimal(bytes, at);
            default -> whole(bytes, type, at);
        };
    }

    private static long hash(double value) {
        boolean isLong = value >= -TWO_TO_63 && value < TWO_TO_63 && value == Math.rint(value);
        return isLong ? (long) value : Double.doubleToLongBits(value);
    }

    /** A decimal that no long and no double equals may share the hash of its neighbours. */
    private static long hashDecimal(byte[] bytes, int at) {
        int end = end(bytes, RawValues.DECIMAL128, at);
        if (end != 0) {
            return hash(end == -2 ? Double.NaN : end < 0 ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
        }
        BigDecimal value = exact(bytes, RawValues.DECIMAL128, at).stripTrailingZeros();
        boolean small = value.precision() - value.scale() <= 19;
        if (small && value.scale() <= 0 && value.toBigInteger().bitLength() < Long.SIZE) {
            return value.longValue();
        }
        return Double.doubleToLongBits(value.doubleValue());
    }

    private static BigDecimal exact(byte[] bytes, int type, int at) {
        return switch (type) {
            case RawValues.DOUBLE -> new BigDecimal(real(bytes, at));
            case RawValues.DECIMAL128 -> exact(decimal(bytes, at));
            default -> BigDecimal.valueOf(whole(bytes, type, at));
        };
    }

    private static BigDecimal exact(Decimal128 decimal) {
        try {
            return decimal.bigDecimalValue();
        } catch (ArithmeticException negativeZero) {
            return BigDecimal.ZERO;
        }
    }

    static boolean isWhole(int type) {
        return type == RawValues.INT32 || type == RawValues.INT64;
    }

    static long whole(byte[] bytes, int type, int at) {
        return type == RawValues.INT32 ? RawValues.int32(bytes, at) : RawValues.int64(bytes, at);
    }

    static double real(byte[] bytes, int at) {
        return Double.longBitsToDouble(RawValues.int64(bytes, at));
    }

    /** As a double, rounded: a lower number never becomes a higher double. */
    static double rounded(byte[] bytes, int type, int at) {
        return switch (type) {
            case RawValues.DOUBLE -> real(bytes, at);
            case RawValues.DECIMAL128 ->
                switch (end(bytes, type, at)) {
                    case -2 -> Double.NaN;
                    case -1 -> Double.NEGATIVE_INFINITY;
                    case 1 -> Double.POSITIVE_INFINITY;
                    default -> exact(bytes, type, at).doubleValue();
                };
            default -> whole(bytes, type, at);
        };
    }

    private static Decimal128 decimal(byte[] bytes, int at) {
        return Decimal128.fromIEEE754BIDEncoding(RawValues.int64(bytes, at + 8), RawValues.int64(bytes, at));
    }
}
