package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.TypeNames;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonNumber;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/** What asks for a type or changes it. */
final class ConversionOperators {
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private ConversionOperators() {}

    static void addTo(Operators operators) {
        operators.unary("$type", value -> new BsonString(value == null ? "missing" : TypeNames.of(value)));
        operators.unary("$isNumber", value -> BsonBoolean.valueOf(value instanceof BsonNumber));
        conversion(operators, "$toString", value -> new BsonString(print(value)));
        conversion(operators, "$toBool", value -> BsonBoolean.valueOf(Expression.isTrue(value)));
        conversion(operators, "$toInt", value -> new BsonInt32(Math.toIntExact(whole(value))));
        conversion(operators, "$toLong", value -> new BsonInt64(whole(value)));
        conversion(operators, "$toDouble", value -> new BsonDouble(fraction(value)));
        conversion(
                operators,
                "$toObjectId",
                value -> value instanceof BsonObjectId id
                        ? id
                        : new BsonObjectId(new ObjectId(value.asString().getValue())));
        conversion(operators, "$toDate", ConversionOperators::date);
    }

    private interface Conversion {
        BsonValue apply(BsonValue value);
    }

    /** Null converts to null; what cannot be converted is code 241, as in MongoDB. */
    private static void conversion(Operators operators, String name, Conversion conversion) {
        operators.unary(name, value -> convert(name, value, conversion));
    }

    private static BsonValue convert(String name, @Nullable BsonValue value, Conversion conversion) {
        if (value == null || Expression.isNothing(value)) {
            return BsonNull.VALUE;
        }
        try {
            return conversion.apply(value);
        } catch (RuntimeException e) {
            throw new CommandException(
                    241, "ConversionFailure", "Unsupported conversion from " + TypeNames.of(value) + " in " + name);
        }
    }

    static String print(BsonValue value) {
        return switch (value) {
            case BsonString text -> text.getValue();
            case BsonInt32 number -> Integer.toString(number.getValue());
            case BsonInt64 number -> Long.toString(number.getValue());
            case BsonDouble number -> print(number.getValue());
            case BsonNumber decimal -> decimal.decimal128Value().toString();
            case BsonBoolean flag -> Boolean.toString(flag.getValue());
            case BsonObjectId id -> id.getValue().toHexString();
            case BsonDateTime date -> DATE.format(Instant.ofEpochMilli(date.getValue()));
            default ->
                throw CommandException.location(
                        16007, "can't convert from BSON type " + TypeNames.of(value) + " to String");
        };
    }

    private static String print(double number) {
        boolean whole = number == Math.rint(number) && Math.abs(number) < 1e15;
        return whole ? Long.toString((long) number) : Double.toString(number);
    }

    private static long whole(BsonValue value) {
        return switch (value) {
            case BsonString text -> Long.parseLong(text.getValue());
            case BsonBoolean flag -> flag.getValue() ? 1 : 0;
            case BsonDateTime date -> date.getValue();
            default -> value.asNumber().longValue();
        };
    }

    private static double fraction(BsonValue value) {
        return switch (value) {
            case BsonString text -> Double.parseDouble(text.getValue());
            case BsonNumber number -> number.doubleValue();
            default -> whole(value);
        };
    }

    private static BsonValue date(BsonValue value) {
        return switch (value) {
            case BsonDateTime date -> date;
            case BsonTimestamp timestamp -> new BsonDateTime(timestamp.getTime() * 1000L);
            case BsonObjectId id -> new BsonDateTime(id.getValue().getDate().getTime());
            case BsonString text ->
                new BsonDateTime(Instant.parse(text.getValue()).toEpochMilli());
            default -> new BsonDateTime(value.asNumber().longValue());
        };
    }
}
