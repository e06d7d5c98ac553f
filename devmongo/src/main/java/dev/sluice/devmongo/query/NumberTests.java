package dev.sluice.devmongo.query;

import dev.sluice.devmongo.CommandException;
import java.math.BigInteger;
import java.util.function.BiPredicate;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonNumber;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Tests that calculate: {@code $mod} and the {@code $bits…} family. */
final class NumberTests {
    private NumberTests() {}

    static ValueTest mod(BsonValue operand) {
        if (!(operand instanceof BsonArray array)) {
            throw CommandException.badValue("malformed mod, needs to be an array");
        }
        if (array.size() != 2) {
            throw CommandException.badValue(
                    "malformed mod, " + (array.size() < 2 ? "not enough" : "too many") + " elements");
        }
        if (!(array.get(0) instanceof BsonNumber divisor) || !(array.get(1) instanceof BsonNumber remainder)) {
            throw CommandException.badValue("malformed mod, divisor and remainder must be numbers");
        }
        long by = divisor.longValue();
        long expected = remainder.longValue();
        if (by == 0) {
            throw CommandException.badValue("divisor cannot be 0");
        }
        return value ->
                value instanceof BsonNumber number && !NumberOrder.isNaN(number) && number.longValue() % by == expected;
    }

    static ValueTest bits(String operator, BsonValue operand) {
        BigInteger mask = mask(operator, operand);
        BiPredicate<BigInteger, BigInteger> accepts = switch (operator) {
            case "$bitsAllSet" -> (bits, wanted) -> bits.and(wanted).equals(wanted);
            case "$bitsAllClear" -> (bits, wanted) -> bits.and(wanted).signum() == 0;
            case "$bitsAnySet" -> (bits, wanted) -> bits.and(wanted).signum() != 0;
            default -> (bits, wanted) -> !bits.and(wanted).equals(wanted);
        };
        return value -> {
            BigInteger bits = bitsOf(value);
            return bits != null && accepts.test(bits, mask);
        };
    }

    private static BigInteger mask(String operator, BsonValue operand) {
        if (operand instanceof BsonArray positions) {
            BigInteger mask = BigInteger.ZERO;
            for (BsonValue position : positions) {
                if (!(position instanceof BsonNumber number) || number.intValue() < 0) {
                    throw CommandException.badValue("bit positions must be non-negative integers in " + operator);
                }
                mask = mask.setBit(number.intValue());
            }
            return mask;
        }
        BigInteger mask = bitsOf(operand);
        if (mask == null || (operand instanceof BsonNumber && mask.signum() < 0)) {
            throw CommandException.badValue(operator + " takes an Array, a number, or a BinData");
        }
        return mask;
    }

    /** Bits of a whole number (sign-extended) or of binary data (first byte lowest), null for anything else. */
    private static @Nullable BigInteger bitsOf(@Nullable BsonValue value) {
        if (value instanceof BsonBinary binary) {
            return new BigInteger(1, reversed(binary.getData()));
        }
        return value instanceof BsonNumber number && isWhole(number.doubleValue())
                ? BigInteger.valueOf(number.longValue())
                : null;
    }

    private static boolean isWhole(double number) {
        return number == Math.rint(number) && Math.abs(number) < 0x1p63;
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] result = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            result[i] = bytes[bytes.length - 1 - i];
        }
        return result;
    }
}
