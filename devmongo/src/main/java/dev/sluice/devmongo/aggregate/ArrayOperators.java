package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.BsonOrder;
import dev.sluice.devmongo.query.TypeNames;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What reads, builds and walks arrays. */
final class ArrayOperators {
    private ArrayOperators() {}

    static void addTo(Operators operators) {
        operators.unary(
                "$size", value -> new BsonInt32(array("$size", 17124, value).size()));
        operators.unary("$isArray", value -> BsonBoolean.valueOf(value instanceof BsonArray));
        operators.binary("$arrayElemAt", ArrayOperators::elementAt);
        operators.unary("$first", value -> elementAt(value, new BsonInt32(0)));
        operators.unary("$last", value -> elementAt(value, new BsonInt32(-1)));
        operators.binary(
                "$in",
                (value, array) -> BsonBoolean.valueOf(value != null
                        && array("$in", 40081, array).stream().anyMatch(one -> BsonOrder.valuesEqual(one, value))));
        operators.listed("$concatArrays", 0, Integer.MAX_VALUE, ArrayOperators::concat);
        operators.listed("$slice", 2, 3, ArrayOperators::slice);
        operators.add("$map", ArrayOperators::map);
        operators.add("$filter", ArrayOperators::filter);
        operators.add("$reduce", ArrayOperators::reduce);
        for (String name : List.of("$sum", "$avg", "$min", "$max")) {
            operators.add(name, operand -> overArray(name, operand));
        }
    }

    private static BsonArray array(String name, int code, @Nullable BsonValue value) {
        if (value instanceof BsonArray array) {
            return array;
        }
        String type = value == null ? "missing" : TypeNames.of(value);
        throw CommandException.location(
                code, "The argument to " + name + " must be an array, but was of type: " + type);
    }

    private static @Nullable BsonValue elementAt(@Nullable BsonValue value, @Nullable BsonValue index) {
        if (Expression.isNothing(value) || Expression.isNothing(index)) {
            return BsonNull.VALUE;
        }
        BsonArray array = array("$arrayElemAt", 28689, value);
        if (!(index instanceof BsonNumber number)) {
            throw CommandException.location(28690, "$arrayElemAt's second argument must be a numeric value");
        }
        int at = number.intValue() < 0 ? array.size() + number.intValue() : number.intValue();
        return at >= 0 && at < array.size() ? array.get(at) : null;
    }

    private static BsonValue concat(List<BsonValue> values) {
        BsonArray joined = new BsonArray();
        for (BsonValue value : values) {
            if (Expression.isNothing(value)) {
                return BsonNull.VALUE;
            }
            joined.addAll(array("$concatArrays", 28664, value));
        }
        return joined;
    }

    private static BsonValue slice(List<BsonValue> values) {
        if (values.stream().anyMatch(Expression::isNothing)) {
            return BsonNull.VALUE;
        }
        BsonArray array = array("$slice", 28724, values.getFirst());
        int second = values.get(1).asNumber().intValue();
        int start = values.size() == 3 ? second : Math.min(second, 0);
        int count = values.size() == 3 ? values.get(2).asNumber().intValue() : Math.abs(second);
        int from = start < 0 ? Math.max(array.size() + start, 0) : Math.min(start, array.size());
        int to = (int) Math.min((long) from + count, array.size());
        return new BsonArray(array.subList(from, to));
    }

    private static Expression map(BsonValue operand) {
        BsonDocument parts = Operators.document("$map", operand);
        Expression input = Operators.argument("$map", parts, "input");
        Expression in = Operators.argument("$map", parts, "in");
        String as = parts.getString("as", new BsonString("this")).getValue();
        return scope -> {
            BsonValue value = input.evaluate(scope);
            if (Expression.isNothing(value)) {
                return BsonNull.VALUE;
            }
            BsonArray mapped = new BsonArray();
            array("$map", 16883, value).forEach(one -> mapped.add(in.valueOrNull(scope.with(as, one))));
            return mapped;
        };
    }

    private static Expression filter(BsonValue operand) {
        BsonDocument parts = Operators.document("$filter", operand);
        Expression input = Operators.argument("$filter", parts, "input");
        Expression condition = Operators.argument("$filter", parts, "cond");
        String as = parts.getString("as", new BsonString("this")).getValue();
        return scope -> {
            BsonValue value = input.evaluate(scope);
            if (Expression.isNothing(value)) {
                return BsonNull.VALUE;
            }
            BsonArray kept = new BsonArray();
            for (BsonValue one : array("$filter", 28651, value)) {
                if (Expression.isTrue(condition.evaluate(scope.with(as, one)))) {
                    kept.add(one);
                }
            }
            return kept;
        };
    }

    private static Expression reduce(BsonValue operand) {
        BsonDocument parts = Operators.document("$reduce", operand);
        Expression input = Operators.argument("$reduce", parts, "input");
        Expression initial = Operators.argument("$reduce", parts, "initialValue");
        Expression in = Operators.argument("$reduce", parts, "in");
        return scope -> {
            BsonValue value = input.evaluate(scope);
            if (Expression.isNothing(value)) {
                return BsonNull.VALUE;
            }
            BsonValue result = initial.evaluate(scope);
            for (BsonValue one : array("$reduce", 40080, value)) {
                result = in.evaluate(scope.with("value", result).with("this", one));
            }
            return result;
        };
    }

    /** An accumulator outside {@code $group}: over its arguments, or over the one argument that is an array. */
    private static Expression overArray(String name, BsonValue operand) {
        List<Expression> arguments = Operators.arguments(name, operand, 0, Integer.MAX_VALUE);
        return scope -> {
            Accumulator accumulator = Accumulator.named(name);
            for (Expression argument : arguments) {
                BsonValue value = argument.evaluate(scope);
                if (arguments.size() == 1 && value instanceof BsonArray array) {
                    array.forEach(accumulator::add);
                } else {
                    accumulator.add(value);
                }
            }
            return accumulator.result();
        };
    }
}
