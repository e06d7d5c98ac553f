package dev.sluice.devmongo.query;

import dev.sluice.devmongo.CommandException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;

/** The names that {@code $type} takes and gives, and the error messages use. */
public final class TypeNames {
    private static final Map<BsonType, String> NAMES = new EnumMap<>(Map.ofEntries(
            Map.entry(BsonType.MIN_KEY, "minKey"),
            Map.entry(BsonType.DOUBLE, "double"),
            Map.entry(BsonType.STRING, "string"),
            Map.entry(BsonType.DOCUMENT, "object"),
            Map.entry(BsonType.ARRAY, "array"),
            Map.entry(BsonType.BINARY, "binData"),
            Map.entry(BsonType.UNDEFINED, "undefined"),
            Map.entry(BsonType.OBJECT_ID, "objectId"),
            Map.entry(BsonType.BOOLEAN, "bool"),
            Map.entry(BsonType.DATE_TIME, "date"),
            Map.entry(BsonType.NULL, "null"),
            Map.entry(BsonType.REGULAR_EXPRESSION, "regex"),
            Map.entry(BsonType.DB_POINTER, "dbPointer"),
            Map.entry(BsonType.JAVASCRIPT, "javascript"),
            Map.entry(BsonType.SYMBOL, "symbol"),
            Map.entry(BsonType.JAVASCRIPT_WITH_SCOPE, "javascriptWithScope"),
            Map.entry(BsonType.INT32, "int"),
            Map.entry(BsonType.TIMESTAMP, "timestamp"),
            Map.entry(BsonType.INT64, "long"),
            Map.entry(BsonType.DECIMAL128, "decimal"),
            Map.entry(BsonType.MAX_KEY, "maxKey")));

    private TypeNames() {}

    public static String of(BsonValue value) {
        return NAMES.getOrDefault(value.getBsonType(), "missing");
    }

    /** The types an operand of {@code $type} stands for: a name, {@code "number"} or a type's number. */
    static Set<BsonType> typesOf(BsonValue operand) {
        return switch (operand) {
            case BsonString name -> named(name.getValue());
            case BsonNumber number -> numbered(number.doubleValue());
            default -> throw CommandException.typeMismatch("type must be represented as a number or a string");
        };
    }

    private static Set<BsonType> named(String name) {
        if (name.equals("number")) {
            return EnumSet.of(BsonType.INT32, BsonType.INT64, BsonType.DOUBLE, BsonType.DECIMAL128);
        }
        return NAMES.entrySet().stream()
                .filter(entry -> entry.getValue().equals(name))
                .findFirst()
                .<Set<BsonType>>map(entry -> EnumSet.of(entry.getKey()))
                .orElseThrow(() -> CommandException.badValue("Unknown type name alias: " + name));
    }

    private static Set<BsonType> numbered(double number) {
        int code = number == -1 ? BsonType.MIN_KEY.getValue() : (int) number;
        return NAMES.keySet().stream()
                .filter(type -> type.getValue() == code && (code == number || number == -1))
                .findFirst()
                .<Set<BsonType>>map(EnumSet::of)
                .orElseThrow(() -> CommandException.badValue("Invalid numerical type code: " + (long) number));
    }
}
