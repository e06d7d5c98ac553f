package dev.sluice.coordinate;

import dev.sluice.model.InvalidInputException;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.json.JsonParseException;

/** Values as small JSON texts, so that a person with the store's own tool can read them. */
final class StoredJson {
    private StoredJson() {}

    static byte[] bytes(BsonDocument document) {
        return document.toJson().getBytes(StandardCharsets.UTF_8);
    }

    /** @throws InvalidInputException naming the key whose value is not what it should be */
    static <T> T read(Entry entry, Function<BsonDocument, T> form) {
        try {
            return form.apply(BsonDocument.parse(entry.text()));
        } catch (JsonParseException | BsonInvalidOperationException | InvalidInputException e) {
            throw new InvalidInputException(
                    "the value of key " + entry.key() + " is not what Sluice writes there (" + e.getMessage()
                            + "): put back what was there; deleted, its epoch or generation would start again");
        }
    }
}
