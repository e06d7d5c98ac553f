package dev.sluice.devmongo.update;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/** The fields an update touched, as a change event's {@code updateDescription} lists them. */
record Changes(BsonDocument updated, BsonArray removed) {
    Changes() {
        this(new BsonDocument(), new BsonArray());
    }

    void set(String path, BsonValue value) {
        updated.put(path, value);
    }

    void remove(String path) {
        removed.add(new BsonString(path));
    }

    boolean isEmpty() {
        return updated.isEmpty() && removed.isEmpty();
    }
}
