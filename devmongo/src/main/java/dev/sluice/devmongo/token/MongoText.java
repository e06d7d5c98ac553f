package dev.sluice.devmongo.token;

import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** Values as MongoDB writes them in its error messages. */
public final class MongoText {
    private MongoText() {}

    /** Without blanks inside the braces: {@code {_data: "82…"}}. */
    public static String compact(BsonValue value) {
        return text(value, "");
    }

    /** As a BSON object prints: {@code { _data: "82…" }}, and {@code {}} when empty. */
    public static String spaced(BsonValue value) {
        return text(value, " ");
    }

    private static String text(BsonValue value, String pad) {
        return switch (value.getBsonType()) {
            case DOCUMENT -> document(value.asDocument(), pad);
            case ARRAY ->
                value.asArray().stream().map(e -> text(e, pad)).collect(Collectors.joining(", ", "[" + pad, pad + "]"));
            case STRING -> "\"" + value.asString().getValue() + "\"";
            case INT32 -> Integer.toString(value.asInt32().getValue());
            case INT64 -> Long.toString(value.asInt64().getValue());
            case DOUBLE -> Double.toString(value.asDouble().getValue());
            case BOOLEAN -> Boolean.toString(value.asBoolean().getValue());
            case NULL -> "null";
            case OBJECT_ID -> "ObjectId('" + value.asObjectId().getValue().toHexString() + "')";
            default -> value.toString();
        };
    }

    private static String document(BsonDocument document, String pad) {
        if (document.isEmpty()) {
            return "{}";
        }
        return document.entrySet().stream()
                .map(field -> field.getKey() + ": " + text(field.getValue(), pad))
                .collect(Collectors.joining(", ", "{" + pad, pad + "}"));
    }
}
