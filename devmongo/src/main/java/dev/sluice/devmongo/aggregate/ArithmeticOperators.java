package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.TypeNames;
import java.util.function.BiFunction;
import java.util.function.DoubleUnaryOperator;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonNumber;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/** Sums and their kin. Null or missing makes the result null; dates take part in {@code $add} and {@code $subtract}. */
final class ArithmeticOperators {
    private ArithmeticOperators() {}

    static void addTo(Operators operators) {
        operators.listed("$add", 0, Integer.MAX_VALUE, values -> {
            BsonValue sum = new BsonInt32(0);
            for (BsonValue value : values) {
                sum = add(sum, value);
            }
            return sum;
        });
        operators.listed("$multiply", 0, Integer.MAX_VALUE, values -> {
            BsonValue product = new BsonInt32(1);
            for (BsonValue value : values) {
                product = onNumbers("$multiply", product, value, Numbers::multiply);
            }
            return product;
        });
        operators.binary("$subtract", ArithmeticOperators::subtract);
        operators.binary(
                "$divide",
                (a, b) -> onNumbers("$divide", a, b, (x, y) -> {
                    if (y.doubleValue() == 0) {
                        throw CommandException.badValue("can't $divide by zero");
                    }
                    return Numbers.divide(x, y);
                }));
        operators.binary(
                "$mod",
                (a, b) -> onNumbers("$mod", a, b, (x, y) -> {
                    if (y.doubleValue() == 0) {
                        throw CommandException.location(16610, "can't $mod by zero");
                    }
                    return Numbers.remainder(x, y);
                }));
        operators.unary(
                "$abs",
                value -> number("$abs", value) instanceof BsonNumber n && n.doubleValue() < 0
                        ? Numbers.subtract(new BsonInt32(0), n)
                        : number("$abs", value));
        rounding(operators, "$floor", Math::floor);
        rounding(operators, "$ceil", Math::ceil);
        rounding(operators, "$trunc", x -> x < 0 ? Math.ceil(x) : Math.floor(x));
        rounding(operators, "$round", Math::rint);
    }

    private static BsonValue add(BsonValue a, BsonValue b) {
        if (a instanceof BsonDateTime date && b instanceof BsonNumber millis) {
            return new BsonDateTime(date.getValue() + millis.longValue());
        }
        if (b instanceof BsonDateTime && a instanceof BsonNumber) {
            return add(b, a);
        }
        return onNumbers("$add", a, b, Numbers::add);
    }

    private static BsonValue subtract(@Nullable BsonValue a, @Nullable BsonValue b) {
        if (a instanceof BsonDateTime date && b instanceof BsonDateTime other) {
            return new BsonInt64(date.getValue() - other.getValue());
        }
        if (a instanceof BsonDateTime date && b instanceof BsonNumber millis) {
            return new BsonDateTime(date.getValue() - millis.longValue());
        }
        return onNumbers("$subtract", a, b, Numbers::subtract);
    }

    private static BsonValue onNumbers(
            String name,
            @Nullable BsonValue a,
            @Nullable BsonValue b,
            BiFunction<BsonNumber, BsonNumber, BsonNumber> function) {
        BsonValue left = number(name, a);
        BsonValue right = number(name, b);
        return left instanceof BsonNumber x && right instanceof BsonNumber y ? function.apply(x, y) : BsonNull.VALUE;
    }

    /** The number, or BSON null for null and missing. */
    private static BsonValue number(String name, @Nullable BsonValue value) {
        if (value == null || Expression.isNothing(value)) {
            return BsonNull.VALUE;
        }
        if (value instanceof BsonNumber number) {
            return number;
        }
        throw CommandException.typeMismatch(name + " only supports numeric types, not " + TypeNames.of(value));
    }

    private static void rounding(Operators operators, String name, DoubleUnaryOperator function) {
        operators.listed(name, 1, 2, values -> {
            double scale = values.size() == 2 && values.get(1) instanceof BsonNumber places
                    ? Math.pow(10, places.intValue())
                    : 1;
            return switch (number(name, values.getFirst())) {
                case BsonDouble value -> new BsonDouble(function.applyAsDouble(value.getValue() * scale) / scale);
                case BsonDecimal128 value -> {
                    double rounded = function.applyAsDouble(value.doubleValue() * scale) / scale;
                    yield new BsonDecimal128(Decimal128.parse(Double.toString(rounded)));
                }
                case BsonValue other -> other;
            };
        });
    }
}
