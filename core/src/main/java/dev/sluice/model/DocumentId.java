package dev.sluice.model;

import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/**
 * A document's {@code _id} as consumers see it: the string itself for string ids, the hex digits for ObjectIds,
 * canonical extended JSON without white space for all others. Different ids can share one text (the string {@code "5f…"} and an ObjectId
 * of these digits), so identity is the text together with its kind.
 */
public record DocumentId(Kind kind, String text) {
    /** What the text was made of. The order of the constants is fixed: files store it. */
    public enum Kind {
        NONE,
        STRING,
        OBJECT_ID,
        OTHER
    }

    /** Of control events, which concern no single document. */
    public static final DocumentId NONE = new DocumentId(Kind.NONE, "");

    private static final JsonWriterSettings CANONICAL =
            JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

    public static DocumentId of(BsonValue id) {
        return switch (id.getBsonType()) {
            case STRING -> new DocumentId(Kind.STRING, id.asString().getValue());
            case OBJECT_ID ->
                new DocumentId(Kind.OBJECT_ID, id.asObjectId().getValue().toHexString());
            default -> new DocumentId(Kind.OTHER, canonicalJson(id));
        };
    }

    private static String canonicalJson(BsonValue value) {
        String wrapped = withoutSpaces(new BsonDocument("v", value).toJson(CANONICAL));
        return wrapped.substring("{\"v\":".length(), wrapped.length() - 1);
    }

    /** The driver writes spaces between tokens; most other languages do not, and they must get the same text. */
    private static String withoutSpaces(String json) {
        StringBuilder compact = new StringBuilder(json.length());
        boolean quoted = false;
        for (int k = 0; k < json.length(); k++) {
            char c = json.charAt(k);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == '\\') {
                compact.append(c);
                c = json.charAt(++k);
            }
            if (quoted || c != ' ') {
                compact.append(c);
            }
        }
        return compact.toString();
    }

    @Override
    public String toString() {
        return text;
    }
}
