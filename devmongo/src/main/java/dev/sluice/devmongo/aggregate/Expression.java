package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * One compiled aggregation expression. Unknown operators and wrong numbers of arguments are refused at compile time.
 * Evaluates to null where MongoDB says the value is missing.
 */
@FunctionalInterface
public interface Expression {
    @Nullable
    BsonValue evaluate(Scope scope);

    static Expression compile(BsonValue expression) {
        return switch (expression) {
            case BsonString text ->
                text.getValue().startsWith("$") ? Reference.compile(text.getValue()) : scope -> text;
            case BsonDocument document -> isOperator(document) ? operator(document) : document(document);
            case BsonArray array -> array(array);
            default -> scope -> expression;
        };
    }

    /** The value, or BSON null where it is missing. */
    default BsonValue valueOrNull(Scope scope) {
        BsonValue value = evaluate(scope);
        return value == null ? BsonNull.VALUE : value;
    }

    /** What counts as true: everything but false, zero, null and missing. */
    static boolean isTrue(@Nullable BsonValue value) {
        if (value instanceof BsonBoolean flag) {
            return flag.getValue();
        }
        return value instanceof BsonNumber number ? number.doubleValue() != 0 : !isNothing(value);
    }

    static boolean isNothing(@Nullable BsonValue value) {
        return value == null || value instanceof BsonNull || value instanceof BsonUndefined;
    }

    private static boolean isOperator(BsonDocument document) {
        return !document.isEmpty() && document.getFirstKey().startsWith("$");
    }

    private static Expression operator(BsonDocument document) {
        if (document.size() != 1) {
            throw CommandException.location(
                    15983, "an object representing an expression must have exactly one field: " + document.toJson());
        }
        var only = document.entrySet().iterator().next();
        return Operators.compile(only.getKey(), only.getValue());
    }

    private static Expression document(BsonDocument document) {
        Map<String, Expression> fields = new LinkedHashMap<>();
        document.forEach((name, value) -> fields.put(name, compile(value)));
        return scope -> {
            BsonDocument result = new BsonDocument();
            fields.forEach((name, field) -> {
                BsonValue value = field.evaluate(scope);
                if (value != null) {
                    result.put(name, value);
                }
            });
            return result;
        };
    }

    private static Expression array(BsonArray array) {
        List<Expression> elements = new ArrayList<>();
        array.forEach(element -> elements.add(compile(element)));
        return scope -> {
            BsonArray result = new BsonArray(elements.size());
            elements.forEach(element -> result.add(element.valueOrNull(scope)));
            return result;
        };
    }
}
