package dev.sluice.devmongo.update;

import dev.sluice.devmongo.query.BsonOrder;
import java.util.Set;
import org.bson.BsonValue;

/** Every update operator by its name. */
final class FieldUpdates {
    private static final Set<String> OPERATORS = Set.of(
            "$set",
            "$unset",
            "$setOnInsert",
            "$inc",
            "$mul",
            "$min",
            "$max",
            "$bit",
            "$currentDate",
            "$rename",
            "$push",
            "$addToSet",
            "$pop",
            "$pull",
            "$pullAll");

    private FieldUpdates() {}

    static boolean isOperator(String name) {
        return OPERATORS.contains(name);
    }

    static void add(UpdateTree tree, String operator, String path, BsonValue operand) {
        if (operator.equals("$rename")) {
            Rename.add(tree, path, operand);
        } else {
            tree.add(path, compile(operator, path, operand));
        }
    }

    private static FieldUpdate compile(String operator, String path, BsonValue operand) {
        return switch (operator) {
            case "$set" -> set(operand);
            case "$unset" -> new FieldUpdate.Unset();
            case "$setOnInsert" -> new FieldUpdate.OnInsert(operand);
            case "$min" -> extreme(operand, -1);
            case "$max" -> extreme(operand, 1);
            case "$inc" -> NumberUpdates.increment(path, operand);
            case "$mul" -> NumberUpdates.multiply(path, operand);
            case "$bit" -> NumberUpdates.bit(operand);
            case "$currentDate" -> CurrentDate.compile(path, operand);
            case "$push" -> Push.compile(operand);
            case "$addToSet" -> ArrayUpdates.addToSet(path, operand);
            case "$pop" -> ArrayUpdates.pop(path, operand);
            case "$pull" -> ArrayUpdates.pull(operand);
            case "$pullAll" -> ArrayUpdates.pullAll(operand);
            default -> throw new IllegalStateException("no such operator: " + operator);
        };
    }

    private static FieldUpdate set(BsonValue value) {
        return new FieldUpdate.Assign((current, edit) -> value, edit -> value);
    }

    private static FieldUpdate extreme(BsonValue value, int side) {
        return new FieldUpdate.Assign(
                (current, edit) -> side * BsonOrder.INSTANCE.compare(value, current) > 0 ? value : current,
                edit -> value);
    }
}
