package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.aggregate.Numbers;
import dev.sluice.devmongo.query.TypeNames;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.LongBinaryOperator;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNumber;
import org.bson.BsonValue;

/** {@code $inc}, {@code $mul} and {@code $bit}. */
final class NumberUpdates {
    private NumberUpdates() {}

    static FieldUpdate increment(String path, BsonValue operand) {
        if (!(operand instanceof BsonNumber by)) {
            throw CommandException.typeMismatch(
                    "Cannot increment with non-numeric argument: {" + Describe.field(path, operand) + "}");
        }
        return new FieldUpdate.Assign(
                (current, edit) -> calculate("$inc", path, current, by, Numbers::add, edit), edit -> by);
    }

    static FieldUpdate multiply(String path, BsonValue operand) {
        if (!(operand instanceof BsonNumber by)) {
            throw CommandException.typeMismatch(
                    "Cannot multiply with non-numeric argument: {" + Describe.field(path, operand) + "}");
        }
        return new FieldUpdate.Assign(
                (current, edit) -> calculate("$mul", path, current, by, Numbers::multiply, edit),
                edit -> Numbers.multiply(new BsonInt32(0), by));
    }

    private static BsonValue calculate(
            String operator,
            String path,
            BsonValue current,
            BsonNumber by,
            BinaryOperator<BsonNumber> function,
            Edit edit) {
        if (!(current instanceof BsonNumber number)) {
            throw CommandException.typeMismatch("Cannot apply " + operator + " to a value of non-numeric type. "
                    + Describe.id(edit.root()) + " has the field '" + path + "' of non-numeric type "
                    + TypeNames.of(current));
        }
        BsonNumber result = function.apply(number, by);
        if (result instanceof BsonDouble && isWhole(number) && isWhole(by)) {
            throw CommandException.badValue("Failed to apply " + operator + " operations to current value ("
                    + Describe.value(current) + ") for document " + Describe.id(edit.root()));
        }
        return result;
    }

    static FieldUpdate bit(BsonValue operand) {
        if (!(operand instanceof BsonDocument operations) || operations.isEmpty()) {
            throw CommandException.badValue("The $bit modifier is not compatible with a " + TypeNames.of(operand)
                    + ". You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}");
        }
        return new FieldUpdate.Assign(
                (current, edit) -> bits(current, operations), edit -> bits(new BsonInt32(0), operations));
    }

    private static BsonValue bits(BsonValue current, BsonDocument operations) {
        BsonValue result = current;
        for (Map.Entry<String, BsonValue> operation : operations.entrySet()) {
            LongBinaryOperator function = switch (operation.getKey()) {
                case "and" -> (a, b) -> a & b;
                case "or" -> (a, b) -> a | b;
                case "xor" -> (a, b) -> a ^ b;
                default ->
                    throw CommandException.badValue(
                            "The $bit modifier only supports 'and', 'or', and 'xor', not '" + operation.getKey() + "'");
            };
            if (!isWhole(operation.getValue()) || !isWhole(result)) {
                throw CommandException.badValue(
                        "Cannot apply $bit to a value of non-integral type " + TypeNames.of(result));
            }
            long bits = function.applyAsLong(
                    result.asNumber().longValue(),
                    operation.getValue().asNumber().longValue());
            boolean narrow = result instanceof BsonInt32 && operation.getValue() instanceof BsonInt32;
            result = narrow ? new BsonInt32((int) bits) : new BsonInt64(bits);
        }
        return result;
    }

    private static boolean isWhole(BsonValue value) {
        return value instanceof BsonInt32 || value instanceof BsonInt64;
    }
}
