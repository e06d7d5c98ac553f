package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.TypeNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What takes documents apart and puts them together, and {@code $let}. */
final class ObjectOperators {
    private ObjectOperators() {}

    static void addTo(Operators operators) {
        operators.listed("$mergeObjects", 0, Integer.MAX_VALUE, ObjectOperators::merge);
        operators.unary("$objectToArray", ObjectOperators::toArray);
        operators.unary("$arrayToObject", ObjectOperators::toObject);
        operators.add("$getField", ObjectOperators::getField);
        operators.add("$let", ObjectOperators::let);
    }

    private static BsonValue merge(List<BsonValue> values) {
        BsonDocument merged = new BsonDocument();
        for (BsonValue value : values) {
            if (value instanceof BsonDocument document) {
                merged.putAll(document);
            } else if (!Expression.isNothing(value)) {
                throw CommandException.location(
                        40400, "$mergeObjects requires object inputs, but input is of type " + TypeNames.of(value));
            }
        }
        return merged;
    }

    private static BsonValue toArray(@Nullable BsonValue value) {
        if (Expression.isNothing(value)) {
            return BsonNull.VALUE;
        }
        if (!(value instanceof BsonDocument document)) {
            throw CommandException.location(40390, "$objectToArray requires a document input");
        }
        BsonArray pairs = new BsonArray();
        document.forEach((k, v) -> pairs.add(new BsonDocument("k", new BsonString(k)).append("v", v)));
        return pairs;
    }

    private static BsonValue toObject(@Nullable BsonValue value) {
        if (Expression.isNothing(value)) {
            return BsonNull.VALUE;
        }
        if (!(value instanceof BsonArray pairs)) {
            throw CommandException.location(40386, "$arrayToObject requires an array input");
        }
        BsonDocument document = new BsonDocument();
        for (BsonValue pair : pairs) {
            if (pair instanceof BsonDocument named
                    && named.get("k") instanceof BsonString key
                    && named.containsKey("v")) {
                document.put(key.getValue(), named.get("v"));
            } else if (pair instanceof BsonArray two && two.size() == 2 && two.get(0) instanceof BsonString key) {
                document.put(key.getValue(), two.get(1));
            } else {
                throw CommandException.location(
                        40392, "$arrayToObject requires an array of pairs: {k, v} documents or two-element arrays");
            }
        }
        return document;
    }

    private static Expression getField(BsonValue operand) {
        boolean spelledOut = operand instanceof BsonDocument parts && parts.containsKey("field");
        BsonValue name = spelledOut ? operand.asDocument().get("field", operand) : operand;
        Expression field = name instanceof BsonString ? scope -> name : Expression.compile(name);
        Expression input = spelledOut && operand.asDocument().containsKey("input")
                ? Expression.compile(operand.asDocument().get("input"))
                : Scope::root;
        return scope -> {
            if (!(field.evaluate(scope) instanceof BsonString key)) {
                throw CommandException.location(3041704, "$getField requires 'field' to evaluate to type String");
            }
            BsonValue from = input.evaluate(scope);
            return from instanceof BsonDocument document
                    ? document.get(key.getValue())
                    : from instanceof BsonNull nothing ? nothing : null;
        };
    }

    private static Expression let(BsonValue operand) {
        BsonDocument parts = Operators.document("$let", operand);
        Map<String, Expression> variables = new LinkedHashMap<>();
        parts.getDocument("vars", new BsonDocument()).forEach((k, v) -> variables.put(k, Expression.compile(v)));
        Expression in = Operators.argument("$let", parts, "in");
        return scope -> {
            Scope inner = scope;
            for (Map.Entry<String, Expression> variable : variables.entrySet()) {
                inner = inner.with(variable.getKey(), variable.getValue().evaluate(scope));
            }
            return in.evaluate(inner);
        };
    }
}
