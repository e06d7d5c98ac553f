package dev.sluice.server.http;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;

/** JSON answers by the library that is here anyway: relaxed, so that numbers are plain numbers. */
public final class Json {
    private static final JsonWriterSettings PLAIN =
            JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();

    private Json() {}

    /** Names and values in turn. */
    public static BsonDocument object(@Nullable Object... namesAndValues) {
        var members = new LinkedHashMap<String, @Nullable Object>();
        for (var i = 0; i < namesAndValues.length; i += 2) {
            members.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
        }
        return object(members);
    }

    public static BsonDocument object(Map<String, ? extends @Nullable Object> members) {
        var document = new BsonDocument();
        members.forEach((name, value) -> document.put(name, value(value)));
        return document;
    }

    public static <T> BsonArray array(Collection<T> items, Function<T, ? extends BsonValue> form) {
        var array = new BsonArray();
        items.forEach(item -> array.add(form.apply(item)));
        return array;
    }

    /** Numbers and truth as such, everything else as its text. */
    public static BsonValue value(@Nullable Object value) {
        return switch (value) {
            case null -> BsonNull.VALUE;
            case BsonValue ready -> ready;
            case Double number -> new BsonDouble(number);
            case Number number -> new BsonInt64(number.longValue());
            case Boolean truth -> BsonBoolean.valueOf(truth);
            default -> new BsonString(value.toString());
        };
    }

    public static String text(BsonDocument document) {
        return document.toJson(PLAIN);
    }
}
