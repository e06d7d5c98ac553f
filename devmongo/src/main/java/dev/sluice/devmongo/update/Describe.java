package dev.sluice.devmongo.update;

import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/** How values look in error messages, and which path components are array indexes. */
final class Describe {
    private static final JsonWriterSettings RELAXED =
            JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();

    private Describe() {}

    static String value(BsonValue value) {
        String wrapped = new BsonDocument("v", value).toJson(RELAXED);
        return wrapped.substring("{\"v\": ".length(), wrapped.length() - 1);
    }

    static String field(String name, BsonValue value) {
        return name + ": " + value(value);
    }

    static String id(BsonDocument document) {
        return "{" + field("_id", document.get("_id", BsonNull.VALUE)) + "}";
    }

    /** The index a path component names, or -1. */
    static int index(String name) {
        boolean digits = !name.isEmpty() && name.length() < 10 && name.chars().allMatch(c -> c >= '0' && c <= '9');
        return digits && (name.length() == 1 || name.charAt(0) != '0') ? Integer.parseInt(name) : -1;
    }
}
