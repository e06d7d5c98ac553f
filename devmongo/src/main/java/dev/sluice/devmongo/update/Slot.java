package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** A place in a document that holds a value or could: a field of a document, or an element of an array. */
record Slot(BsonValue container, String name, String path) {
    /** How far beyond its end an array may be filled up with nulls. */
    private static final int MAX_PADDING = 1_500_000;

    @Nullable
    BsonValue get() {
        if (container instanceof BsonDocument document) {
            return document.get(name);
        }
        int index = Describe.index(name);
        return container instanceof BsonArray array && index >= 0 && index < array.size() ? array.get(index) : null;
    }

    /** Whether a value can be put here; a scalar holds no fields, an array only numbered ones. */
    boolean viable() {
        return container instanceof BsonDocument || (container instanceof BsonArray && Describe.index(name) >= 0);
    }

    void set(BsonValue value) {
        if (container instanceof BsonDocument document) {
            document.put(name, value);
            return;
        }
        BsonArray array = container.asArray();
        int index = Describe.index(name);
        if (index - array.size() > MAX_PADDING) {
            throw new CommandException(
                    34, "CannotBackfillArray", "can't backfill more than " + MAX_PADDING + " elements");
        }
        while (array.size() <= index) {
            array.add(BsonNull.VALUE);
        }
        array.set(index, value);
    }

    /** A field goes; an array keeps its length and gets a null. */
    void remove() {
        if (container instanceof BsonDocument document) {
            document.remove(name);
        } else {
            set(BsonNull.VALUE);
        }
    }
}
