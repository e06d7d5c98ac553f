package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.BsonCopy;
import dev.sluice.devmongo.query.BsonOrder;
import dev.sluice.devmongo.query.Query;
import dev.sluice.devmongo.query.TypeNames;
import java.time.Instant;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** An update by operators such as {@code $set}, applied field by field in the order of the paths, as 4.4 does. */
record ModifierUpdate(UpdateTree tree) implements Change {
    static ModifierUpdate compile(BsonDocument update, ArrayFilters filters) {
        UpdateTree tree = new UpdateTree(filters);
        update.forEach((operator, fields) -> {
            if (!FieldUpdates.isOperator(operator)) {
                throw CommandException.failedToParse("Unknown modifier: " + operator
                        + ". Expected a valid update modifier or pipeline-style update specified as an array");
            }
            if (!(fields instanceof BsonDocument document)) {
                throw CommandException.failedToParse(
                        "Modifiers operate on fields but we found type " + TypeNames.of(fields)
                                + " instead. For example: {$mod: {<field>: ...}} not {" + operator + ": "
                                + Describe.value(fields) + "}");
            }
            if (document.isEmpty()) {
                throw CommandException.failedToParse("'" + operator + "' is empty. You must specify a field like so: {"
                        + operator + ": {<field>: ...}}");
            }
            document.forEach((path, operand) -> FieldUpdates.add(tree, operator, path, operand));
        });
        filters.refuseUnused();
        return new ModifierUpdate(tree);
    }

    @Override
    public Update.Result apply(BsonDocument before, @Nullable Query matchedBy, Instant now) {
        Supplier<OptionalInt> position =
                () -> matchedBy == null ? OptionalInt.empty() : matchedBy.matchedPosition(before);
        Edit edit = new Edit(BsonCopy.of(before), now, false, position);
        tree.applyTo(edit);
        BsonValue id = before.get("_id");
        BsonValue newId = edit.root().get("_id");
        if (id != null && (newId == null || !BsonOrder.valuesEqual(id, newId))) {
            throw Update.immutableId(null);
        }
        return edit.changes().isEmpty()
                ? new Update.Result.Unchanged()
                : new Update.Result.Modified(
                        edit.root(), edit.changes().updated(), edit.changes().removed());
    }

    @Override
    public BsonDocument insert(BsonDocument base, Instant now) {
        Edit edit = new Edit(BsonCopy.of(base), now, true, OptionalInt::empty);
        tree.applyTo(edit);
        return edit.root();
    }
}
