package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.BsonOrder;
import dev.sluice.devmongo.query.Query;
import dev.sluice.devmongo.query.TypeNames;
import java.util.List;
import java.util.function.Predicate;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonRegularExpression;
import org.bson.BsonValue;

/** The array operators whose result is reported as a whole array. */
final class ArrayUpdates {
    private ArrayUpdates() {}

    static FieldUpdate addToSet(String path, BsonValue operand) {
        boolean several = operand instanceof BsonDocument clauses
                && !clauses.isEmpty()
                && clauses.getFirstKey().equals("$each");
        List<BsonValue> values = several ? Push.each("$addToSet", operand.asDocument()) : List.of(operand);
        return new FieldUpdate.Assign(
                (current, edit) -> {
                    if (current instanceof BsonArray array) {
                        return union(array, values);
                    }
                    throw CommandException.badValue("Cannot apply $addToSet to non-array field. Field named '" + path
                            + "' has non-array type " + TypeNames.of(current));
                },
                edit -> union(new BsonArray(), values));
    }

    private static BsonArray union(BsonArray array, List<BsonValue> values) {
        BsonArray result = new BsonArray(array);
        for (BsonValue value : values) {
            if (result.stream().noneMatch(existing -> BsonOrder.valuesEqual(existing, value))) {
                result.add(value);
            }
        }
        return result;
    }

    static FieldUpdate pop(String path, BsonValue operand) {
        if (!(operand instanceof BsonNumber number) || Math.abs(number.doubleValue()) != 1) {
            throw CommandException.failedToParse("$pop expects 1 or -1, found: " + Describe.value(operand));
        }
        boolean last = number.doubleValue() > 0;
        return new FieldUpdate.Assign(
                (current, edit) -> {
                    if (!(current instanceof BsonArray array)) {
                        throw CommandException.typeMismatch("Path '" + path
                                + "' contains an element of non-array type '" + TypeNames.of(current) + "'");
                    }
                    if (array.isEmpty()) {
                        return array;
                    }
                    return new BsonArray(last ? array.subList(0, array.size() - 1) : array.subList(1, array.size()));
                },
                null);
    }

    static FieldUpdate pull(BsonValue condition) {
        return removing("$pull", matching(condition));
    }

    static FieldUpdate pullAll(BsonValue operand) {
        if (!(operand instanceof BsonArray values)) {
            throw CommandException.badValue(
                    "$pullAll requires an array argument but was given a " + TypeNames.of(operand));
        }
        return removing(
                "$pullAll", element -> values.stream().anyMatch(value -> BsonOrder.valuesEqual(value, element)));
    }

    private static FieldUpdate removing(String operator, Predicate<BsonValue> unwanted) {
        return new FieldUpdate.Assign(
                (current, edit) -> {
                    if (!(current instanceof BsonArray array)) {
                        throw CommandException.badValue("Cannot apply " + operator + " to a non-array value");
                    }
                    return new BsonArray(
                            array.stream().filter(unwanted.negate()).toList());
                },
                null);
    }

    /** Operators and patterns judge each element, a document is a filter for documents, the rest is equality. */
    private static Predicate<BsonValue> matching(BsonValue condition) {
        if (condition instanceof BsonRegularExpression
                || (condition instanceof BsonDocument operators
                        && !operators.isEmpty()
                        && operators.getFirstKey().startsWith("$")
                        && !operators.getFirstKey().matches("\\$(and|or|nor|expr)"))) {
            Query query = Query.compile(new BsonDocument("e", condition));
            return element -> query.matches(new BsonDocument("e", element));
        }
        if (condition instanceof BsonDocument filter) {
            Query query = Query.compile(filter);
            return element -> element instanceof BsonDocument document && query.matches(document);
        }
        return element -> BsonOrder.valuesEqual(condition, element);
    }
}
