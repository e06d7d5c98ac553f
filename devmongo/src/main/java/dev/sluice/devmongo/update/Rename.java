package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $rename}, seen from the target: takes the value from its source, if there is one. */
record Rename(String source) implements FieldUpdate {
    static void add(UpdateTree tree, String source, BsonValue operand) {
        if (!(operand instanceof BsonString target)) {
            throw CommandException.badValue(
                    "The 'to' field for $rename must be a string: " + Describe.field(source, operand));
        }
        if (target.getValue().equals(source)) {
            throw CommandException.badValue(
                    "The source and target field for $rename must differ: " + Describe.field(source, operand));
        }
        for (String path : new String[] {source, target.getValue()}) {
            for (String name : UpdatePath.split(path)) {
                if (UpdatePath.isPositional(name)) {
                    throw CommandException.badValue("The fields of $rename may not be dynamic: " + path);
                }
            }
        }
        tree.add(source, new RenamedAway());
        tree.add(target.getValue(), new Rename(source));
    }

    @Override
    public void apply(Slot slot, Edit edit) {
        Slot from = sourceSlot(edit);
        BsonValue value = from == null ? null : from.get();
        if (from == null || value == null) {
            return;
        }
        refuseArray(from, "source", edit);
        refuseArray(slot, "destination", edit);
        from.remove();
        slot.set(value);
        edit.changes().set(slot.path(), value);
        edit.changes().remove(source);
    }

    @Override
    public boolean creates(Edit edit) {
        Slot from = sourceSlot(edit);
        return from != null && from.get() != null;
    }

    private static void refuseArray(Slot slot, String role, Edit edit) {
        if (slot.container() instanceof BsonArray) {
            throw CommandException.badValue("The " + role + " field cannot be an array element, '" + slot.path()
                    + "' in doc with " + Describe.id(edit.root()) + " has an array field on its way");
        }
    }

    private @Nullable Slot sourceSlot(Edit edit) {
        String[] names = source.split("\\.", -1);
        BsonValue container = edit.root();
        for (int i = 0; i < names.length - 1; i++) {
            container = new Slot(container, names[i], source).get();
            if (!(container instanceof BsonDocument) && !(container instanceof BsonArray)) {
                return null;
            }
        }
        return new Slot(container, names[names.length - 1], source);
    }
}
