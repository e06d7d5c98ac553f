package dev.sluice.devmongo.update;

import dev.sluice.devmongo.query.BsonCopy;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What one operator does to one field. */
interface FieldUpdate {
    /** Called only for a slot that can hold a value. Records what it changes. */
    void apply(Slot slot, Edit edit);

    /** Whether a missing field would be made: then a path that cannot be made is an error. */
    boolean creates(Edit edit);

    /** The next value of a field that is there. */
    interface Next {
        BsonValue of(BsonValue current, Edit edit);
    }

    /** The first value of a field that is not. */
    interface First {
        BsonValue of(Edit edit);
    }

    /** The common case: a value computed from the one before, reported as a whole unless nothing changed. */
    record Assign(Next next, @Nullable First first) implements FieldUpdate {
        @Override
        public void apply(Slot slot, Edit edit) {
            BsonValue current = slot.get();
            if (current != null) {
                record(slot, current, next.of(current, edit), edit);
            } else if (first != null) {
                record(slot, null, first.of(edit), edit);
            }
        }

        private static void record(Slot slot, @Nullable BsonValue before, BsonValue after, Edit edit) {
            if (before == null || !BsonCopy.identical(before, after)) {
                slot.set(after);
                edit.changes().set(slot.path(), after);
            }
        }

        @Override
        public boolean creates(Edit edit) {
            return first != null;
        }
    }

    /** {@code $unset}. */
    record Unset() implements FieldUpdate {
        @Override
        public void apply(Slot slot, Edit edit) {
            if (slot.get() != null) {
                slot.remove();
                edit.changes().remove(slot.path());
            }
        }

        @Override
        public boolean creates(Edit edit) {
            return false;
        }
    }

    /** {@code $setOnInsert}: only when an upsert makes the document. */
    record OnInsert(BsonValue value) implements FieldUpdate {
        @Override
        public void apply(Slot slot, Edit edit) {
            if (edit.inserting()) {
                slot.set(value);
                edit.changes().set(slot.path(), value);
            }
        }

        @Override
        public boolean creates(Edit edit) {
            return edit.inserting();
        }
    }

    /** Marks the source of a {@code $rename}, so that nothing else may touch it; the target does the work. */
    record RenamedAway() implements FieldUpdate {
        @Override
        public void apply(Slot slot, Edit edit) {}

        @Override
        public boolean creates(Edit edit) {
            return false;
        }
    }
}
