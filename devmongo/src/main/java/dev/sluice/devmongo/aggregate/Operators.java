package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Every operator by its name. Each family fills in its own; most are plain functions of evaluated arguments. */
final class Operators {
    private static final Map<String, Function<BsonValue, Expression>> BY_NAME = new HashMap<>();

    static {
        Operators all = new Operators();
        LogicOperators.addTo(all);
        ArithmeticOperators.addTo(all);
        StringOperators.addTo(all);
        ArrayOperators.addTo(all);
        ObjectOperators.addTo(all);
        ConversionOperators.addTo(all);
    }

    private Operators() {}

    static Expression compile(String name, BsonValue operand) {
        Function<BsonValue, Expression> compiler = BY_NAME.get(name);
        if (compiler == null) {
            throw new CommandException(168, "InvalidPipelineOperator", "Unrecognized expression '" + name + "'");
        }
        return compiler.apply(operand);
    }

    /** An operator that looks at its operand itself. */
    void add(String name, Function<BsonValue, Expression> compiler) {
        BY_NAME.put(name, compiler);
    }

    void unary(String name, Function<@Nullable BsonValue, @Nullable BsonValue> function) {
        add(name, operand -> {
            Expression argument = arguments(name, operand, 1, 1).getFirst();
            return scope -> function.apply(argument.evaluate(scope));
        });
    }

    void binary(String name, BiFunction<@Nullable BsonValue, @Nullable BsonValue, @Nullable BsonValue> function) {
        add(name, operand -> {
            List<Expression> arguments = arguments(name, operand, 2, 2);
            Expression left = arguments.getFirst();
            Expression right = arguments.getLast();
            return scope -> function.apply(left.evaluate(scope), right.evaluate(scope));
        });
    }

    /** An operator of {@code least} to {@code most} arguments; missing ones arrive as BSON null. */
    void listed(String name, int least, int most, Function<List<BsonValue>, @Nullable BsonValue> function) {
        add(name, operand -> {
            List<Expression> arguments = arguments(name, operand, least, most);
            return scope -> {
                List<BsonValue> values = new ArrayList<>(arguments.size());
                for (Expression argument : arguments) {
                    values.add(argument.valueOrNull(scope));
                }
                return function.apply(values);
            };
        });
    }

    /** The operand as a list of expressions: an array's elements, or the one value that stands alone. */
    static List<Expression> arguments(String name, BsonValue operand, int least, int most) {
        List<BsonValue> values = operand instanceof BsonArray array ? array : List.of(operand);
        if (values.size() < least || values.size() > most) {
            String wanted = least == most ? "exactly " + least : "between " + least + " and " + most;
            throw CommandException.location(
                    16020,
                    "Expression " + name + " takes " + wanted + " arguments. " + values.size() + " were passed in.");
        }
        return values.stream().map(Expression::compile).toList();
    }

    /** A named argument of an operator that takes a document. */
    static Expression argument(String name, BsonDocument operand, String field) {
        if (!operand.containsKey(field)) {
            throw CommandException.failedToParse("Missing '" + field + "' parameter to " + name);
        }
        return Expression.compile(operand.get(field));
    }

    static BsonDocument document(String name, BsonValue operand) {
        if (operand instanceof BsonDocument document) {
            return document;
        }
        throw CommandException.failedToParse(name + " only supports an object as its argument");
    }
}
