package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.BsonCopy;
import dev.sluice.devmongo.query.BsonOrder;
import dev.sluice.devmongo.query.SortOrder;
import dev.sluice.devmongo.query.TypeNames;
import java.util.Comparator;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code $push}. Elements that were only appended are reported one by one, as {@code arr.3}; an array that was
 * sorted, cut, inserted into or new, as a whole.
 */
record Push(
        List<BsonValue> values,
        @Nullable Integer position,
        @Nullable Integer slice,
        @Nullable Comparator<BsonValue> sort)
        implements FieldUpdate {

    static Push compile(BsonValue operand) {
        if (!(operand instanceof BsonDocument clauses) || !clauses.containsKey("$each")) {
            return new Push(List.of(operand), null, null, null);
        }
        for (String clause : clauses.keySet()) {
            if (!List.of("$each", "$position", "$slice", "$sort").contains(clause)) {
                throw CommandException.badValue("Unrecognized clause in $push: " + clause);
            }
        }
        BsonValue sort = clauses.get("$sort");
        return new Push(
                each("$push", clauses),
                number(clauses, "$position"),
                number(clauses, "$slice"),
                sort == null ? null : order(sort));
    }

    static List<BsonValue> each(String operator, BsonDocument clauses) {
        if (clauses.get("$each") instanceof BsonArray values) {
            return values;
        }
        throw CommandException.badValue("The argument to $each in " + operator + " must be an array");
    }

    private static @Nullable Integer number(BsonDocument clauses, String name) {
        BsonValue value = clauses.get(name);
        if (value == null) {
            return null;
        }
        if (value instanceof BsonNumber number && number.intValue() == number.doubleValue()) {
            return number.intValue();
        }
        throw CommandException.badValue("The value for " + name + " must be an integer value");
    }

    private static Comparator<BsonValue> order(BsonValue sort) {
        if (sort instanceof BsonDocument keys && !keys.isEmpty()) {
            SortOrder order = SortOrder.compile(keys);
            return Comparator.comparing(
                    element -> element instanceof BsonDocument document ? document : new BsonDocument(), order);
        }
        if (sort instanceof BsonNumber direction && Math.abs(direction.doubleValue()) == 1) {
            return direction.doubleValue() > 0 ? BsonOrder.INSTANCE : BsonOrder.INSTANCE.reversed();
        }
        throw CommandException.badValue(
                "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields");
    }

    @Override
    public boolean creates(Edit edit) {
        return true;
    }

    @Override
    public void apply(Slot slot, Edit edit) {
        BsonValue current = slot.get();
        if (current != null && !(current instanceof BsonArray)) {
            throw CommandException.badValue("The field '" + slot.path() + "' must be an array but is of type "
                    + TypeNames.of(current) + " in document " + Describe.id(edit.root()));
        }
        BsonArray array = current == null ? new BsonArray() : current.asArray();
        int size = array.size();
        BsonArray pushed = pushed(array);
        if (current != null && BsonCopy.identical(array, pushed)) {
            return;
        }
        slot.set(pushed);
        if (current != null && onlyAppended(array, pushed)) {
            for (int i = size; i < pushed.size(); i++) {
                edit.changes().set(slot.path() + "." + i, pushed.get(i));
            }
        } else {
            edit.changes().set(slot.path(), pushed);
        }
    }

    private BsonArray pushed(BsonArray array) {
        BsonArray result = new BsonArray(array);
        int at = position == null ? array.size() : position < 0 ? Math.max(array.size() + position, 0) : position;
        result.addAll(Math.min(at, array.size()), values);
        if (sort != null) {
            result.sort(sort);
        }
        if (slice != null && Math.abs((long) slice) < result.size()) {
            int from = slice < 0 ? result.size() + slice : 0;
            result = new BsonArray(result.subList(from, slice < 0 ? result.size() : slice));
        }
        return result;
    }

    /** By the clauses, not by comparing: a sort that happens to change nothing is still reported as a whole. */
    private boolean onlyAppended(BsonArray before, BsonArray after) {
        boolean atEnd = position == null || position >= before.size();
        return atEnd && sort == null && after.size() == before.size() + values.size();
    }
}
