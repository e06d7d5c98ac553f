package dev.sluice.devmongo.query;

import dev.sluice.devmongo.CommandException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;

/** Compiles what stands behind a field in a filter: a value, a pattern, or a document of {@code $} operators. */
final class FieldOperators {
    private static final Set<String> REFERENCE_FIELDS = Set.of("$ref", "$id", "$db");
    private static final Set<String> LOGICAL = Set.of("$and", "$or", "$nor", "$where");

    private FieldOperators() {}

    static Criterion compile(BsonValue condition) {
        return switch (condition) {
            case BsonRegularExpression regex -> new Criterion.AnyValue(RegexTest.of(regex));
            case BsonDocument document -> isOperators(document) ? compileOperators(document) : equal(document);
            default -> equal(condition);
        };
    }

    static boolean isOperators(BsonDocument document) {
        return !document.isEmpty()
                && document.getFirstKey().startsWith("$")
                && !REFERENCE_FIELDS.contains(document.getFirstKey());
    }

    private static Criterion compileOperators(BsonDocument operators) {
        List<Criterion> criteria = new ArrayList<>();
        for (Map.Entry<String, BsonValue> operator : operators.entrySet()) {
            switch (operator.getKey()) {
                case "$comment" -> {}
                case "$regex" -> criteria.add(regex(operator.getValue(), operators));
                case "$options" -> {
                    if (!operators.containsKey("$regex")) {
                        throw CommandException.badValue("$options needs a $regex");
                    }
                }
                default -> criteria.add(compileOperator(operator.getKey(), operator.getValue()));
            }
        }
        return criteria.size() == 1 ? criteria.getFirst() : new Criterion.All(List.copyOf(criteria));
    }

    private static Criterion compileOperator(String name, BsonValue operand) {
        return switch (name) {
            case "$eq" -> equal(operand);
            case "$ne" -> new Criterion.Not(equal(refuseRegex(operand)));
            case "$gt" -> any(Comparison.GT.with(refuseRegex(operand)));
            case "$gte" -> any(Comparison.GTE.with(refuseRegex(operand)));
            case "$lt" -> any(Comparison.LT.with(refuseRegex(operand)));
            case "$lte" -> any(Comparison.LTE.with(refuseRegex(operand)));
            case "$in" -> any(Membership.of("$in", operand));
            case "$nin" -> new Criterion.Not(any(Membership.of("$nin", operand)));
            case "$exists" -> exists(operand);
            case "$type" -> any(type(operand));
            case "$all" -> all(operand);
            case "$elemMatch" -> elemMatch(operand);
            case "$size" -> size(operand);
            case "$mod" -> any(NumberTests.mod(operand));
            case "$not" -> not(operand);
            case "$bitsAllSet", "$bitsAllClear", "$bitsAnySet", "$bitsAnyClear" -> any(NumberTests.bits(name, operand));
            default -> throw CommandException.badValue("unknown operator: " + name);
        };
    }

    private static Criterion any(ValueTest test) {
        return new Criterion.AnyValue(test);
    }

    private static Criterion equal(BsonValue value) {
        return any(Comparison.EQ.with(value));
    }

    private static BsonValue refuseRegex(BsonValue operand) {
        if (operand instanceof BsonRegularExpression) {
            throw CommandException.badValue("Can't have RegEx as arg to predicate over field");
        }
        return operand;
    }

    private static Criterion regex(BsonValue operand, BsonDocument operators) {
        BsonValue options = operators.get("$options", new BsonString(""));
        if (!(options instanceof BsonString flags)) {
            throw CommandException.badValue("$options has to be a string");
        }
        return switch (operand) {
            case BsonString pattern ->
                any(RegexTest.of(new BsonRegularExpression(pattern.getValue(), flags.getValue())));
            case BsonRegularExpression literal -> any(RegexTest.of(withOptions(literal, flags.getValue())));
            default -> throw CommandException.badValue("$regex has to be a string");
        };
    }

    private static BsonRegularExpression withOptions(BsonRegularExpression literal, String options) {
        if (options.isEmpty()) {
            return literal;
        }
        if (!literal.getOptions().isEmpty()) {
            throw CommandException.location(51075, "options set in both $regex and $options");
        }
        return new BsonRegularExpression(literal.getPattern(), options);
    }

    private static Criterion exists(BsonValue operand) {
        Criterion present = any(value -> value != null);
        return isTrue(operand) ? present : new Criterion.Not(present);
    }

    private static ValueTest type(BsonValue operand) {
        Set<BsonType> types = EnumSet.noneOf(BsonType.class);
        for (BsonValue one : operand instanceof BsonArray several ? several : List.of(operand)) {
            types.addAll(TypeNames.typesOf(one));
        }
        if (types.isEmpty()) {
            throw CommandException.failedToParse("$type must match at least one type");
        }
        return value -> value != null && types.contains(value.getBsonType());
    }

    private static Criterion all(BsonValue operand) {
        if (!(operand instanceof BsonArray values)) {
            throw CommandException.badValue("$all needs an array");
        }
        if (values.isEmpty()) {
            return any(value -> false);
        }
        List<Criterion> criteria = new ArrayList<>();
        for (BsonValue value : values) {
            boolean nested = value instanceof BsonDocument document && isOperators(document);
            if (nested && !value.asDocument().getFirstKey().equals("$elemMatch")) {
                throw CommandException.badValue("no $ expressions in $all");
            }
            criteria.add(compile(value));
        }
        return new Criterion.All(List.copyOf(criteria));
    }

    /** Operators apply to each element as it stands; a filter applies to elements that are documents. */
    private static Criterion elemMatch(BsonValue operand) {
        if (!(operand instanceof BsonDocument condition)) {
            throw CommandException.badValue("$elemMatch needs an Object");
        }
        if (isOperators(condition) && !LOGICAL.contains(condition.getFirstKey())) {
            return new Criterion.AnyElement(compileOperators(condition)::holdsFor);
        }
        Query query = Query.compile(condition);
        return new Criterion.AnyElement(element -> element instanceof BsonDocument document
                ? query.matches(document)
                : element instanceof BsonArray array && query.matches(asDocument(array)));
    }

    /** An array is a document whose fields are its indexes; {@code $elemMatch} sees nested arrays so. */
    private static BsonDocument asDocument(BsonArray array) {
        BsonDocument document = new BsonDocument();
        for (int i = 0; i < array.size(); i++) {
            document.put(Integer.toString(i), array.get(i));
        }
        return document;
    }

    private static Criterion size(BsonValue operand) {
        if (!(operand instanceof BsonNumber number)) {
            throw CommandException.badValue("$size needs a number");
        }
        int size = number.intValue();
        if (size != number.doubleValue()) {
            throw CommandException.badValue("$size must be a whole number");
        }
        if (size < 0) {
            throw CommandException.badValue("$size may not be negative");
        }
        return new Criterion.WholeValue(value -> value instanceof BsonArray array && array.size() == size);
    }

    private static Criterion not(BsonValue operand) {
        return switch (operand) {
            case BsonRegularExpression regex -> new Criterion.Not(compile(regex));
            case BsonDocument operators -> {
                if (operators.isEmpty()) {
                    throw CommandException.badValue("$not cannot be empty");
                }
                yield new Criterion.Not(compileOperators(operators));
            }
            default -> throw CommandException.badValue("$not needs a regex or a document");
        };
    }

    /** What MongoDB takes for true where it wants a flag. */
    static boolean isTrue(BsonValue value) {
        return switch (value) {
            case BsonBoolean flag -> flag.getValue();
            case BsonNumber number -> number.doubleValue() != 0;
            default -> !Comparison.isNothing(value);
        };
    }
}
