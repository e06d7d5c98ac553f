package dev.sluice.devmongo.changes;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.token.ResumeToken;
import java.util.Set;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The {@code $changeStream} stage, read and checked. {@code fullDocument: whenAvailable | required} and
 * {@code fullDocumentBeforeChange} are by documentation, not recorded.
 *
 * @param after the token to resume after, from resumeAfter or startAfter
 * @param from startAtOperationTime
 */
public record StreamOptions(
        Image fullDocument,
        Image beforeChange,
        @Nullable ResumeToken after,
        @Nullable BsonTimestamp from,
        boolean wholeCluster) {
    private static final Set<String> KNOWN = Set.of(
            "fullDocument",
            "resumeAfter",
            "startAfter",
            "startAtOperationTime",
            "allChangesForCluster",
            "allowToRunOnConfigDB",
            "allowToRunOnSystemNS");
    private static final Set<String> KNOWN_SINCE_6 = Set.of("fullDocumentBeforeChange", "showExpandedEvents");

    /** Which picture of a document an event carries beside what changed. */
    public enum Image {
        NONE,
        LOOKUP,
        WHEN_AVAILABLE,
        REQUIRED
    }

    public static StreamOptions parse(BsonValue stage, boolean images) {
        if (!stage.isDocument()) {
            throw CommandException.location(50808, "$changeStream stage expects a document as argument");
        }
        BsonDocument options = stage.asDocument();
        options.keySet().forEach(name -> requireKnown(name, images));
        BsonDocument resumeAfter = token(options, "resumeAfter");
        BsonDocument startAfter = token(options, "startAfter");
        refuseConflicts(resumeAfter, startAfter, options.get("startAtOperationTime"));
        return new StreamOptions(
                fullDocument(options, images),
                beforeChange(options),
                resumePoint(resumeAfter, startAfter),
                time(options),
                options.getBoolean("allChangesForCluster", BsonBoolean.FALSE).getValue());
    }

    private static void requireKnown(String name, boolean images) {
        if (!KNOWN.contains(name) && !(images && KNOWN_SINCE_6.contains(name))) {
            throw CommandException.location(40415, "BSON field '$changeStream." + name + "' is an unknown field.");
        }
    }

    private static @Nullable BsonDocument token(BsonDocument options, String name) {
        BsonValue value = options.get(name);
        if (value == null) {
            return null;
        }
        if (!value.isDocument()) {
            throw wrongType(name, value, "object");
        }
        return value.asDocument();
    }

    private static @Nullable BsonTimestamp time(BsonDocument options) {
        BsonValue value = options.get("startAtOperationTime");
        if (value != null && !value.isTimestamp()) {
            throw wrongType("startAtOperationTime", value, "timestamp");
        }
        return value == null ? null : value.asTimestamp();
    }

    private static CommandException wrongType(String name, BsonValue value, String expected) {
        return CommandException.typeMismatch("BSON field '$changeStream.%s' is the wrong type '%s', expected type '%s'"
                .formatted(name, typeName(value.getBsonType()), expected));
    }

    private static String typeName(BsonType type) {
        return switch (type) {
            case INT32 -> "int";
            case INT64 -> "long";
            case BOOLEAN -> "bool";
            case DOCUMENT -> "object";
            case OBJECT_ID -> "objectId";
            case DATE_TIME -> "date";
            default -> type.name().toLowerCase(java.util.Locale.ROOT);
        };
    }

    private static void refuseConflicts(
            @Nullable BsonDocument resumeAfter, @Nullable BsonDocument startAfter, @Nullable BsonValue time) {
        if (resumeAfter != null && startAfter != null) {
            throw CommandException.location(
                    50865, "Do not specify both 'resumeAfter' and 'startAfter' in a $changeStream stage");
        }
        if ((resumeAfter != null || startAfter != null) && time != null) {
            throw CommandException.location(
                    40674, "Only one type of resume option is allowed, but multiple were found.");
        }
    }

    private static @Nullable ResumeToken resumePoint(
            @Nullable BsonDocument resumeAfter, @Nullable BsonDocument startAfter) {
        if (resumeAfter == null) {
            return startAfter == null ? null : ResumeToken.parse(startAfter);
        }
        ResumeToken token = ResumeToken.parse(resumeAfter);
        if (token.fromInvalidate()) {
            throw new CommandException(
                    260,
                    "InvalidResumeToken",
                    "Attempting to resume a change stream using 'resumeAfter' is not allowed from an invalidate"
                            + " notification.");
        }
        return token;
    }

    private static Image fullDocument(BsonDocument options, boolean images) {
        String value = options.containsKey("fullDocument")
                ? options.getString("fullDocument").getValue()
                : "default";
        if ("default".equals(value)) {
            return Image.NONE;
        }
        if ("updateLookup".equals(value)) {
            return Image.LOOKUP;
        }
        if (images && "whenAvailable".equals(value)) {
            return Image.WHEN_AVAILABLE;
        }
        if (images && "required".equals(value)) {
            return Image.REQUIRED;
        }
        throw images
                ? CommandException.badValue("Enumeration value '" + value
                        + "' for field '$changeStream.fullDocument' is not a valid value.")
                : CommandException.location(
                        40575,
                        "unrecognized value for the 'fullDocument' option to the $changeStream stage. Expected"
                                + " 'default' or 'updateLookup', got '" + value + "'");
    }

    private static Image beforeChange(BsonDocument options) {
        if (!options.containsKey("fullDocumentBeforeChange")) {
            return Image.NONE;
        }
        String value = options.getString("fullDocumentBeforeChange").getValue();
        return switch (value) {
            case "off" -> Image.NONE;
            case "whenAvailable" -> Image.WHEN_AVAILABLE;
            case "required" -> Image.REQUIRED;
            default ->
                throw CommandException.badValue("Enumeration value '" + value
                        + "' for field '$changeStream.fullDocumentBeforeChange' is not a valid value.");
        };
    }
}
