package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;

/** {@code $currentDate}: a date, or a timestamp if asked for one. */
final class CurrentDate {
    private CurrentDate() {}

    static FieldUpdate compile(String path, BsonValue operand) {
        FieldUpdate.First value = isTimestamp(path, operand)
                ? edit -> new BsonTimestamp((int) edit.now().getEpochSecond(), 1)
                : edit -> new BsonDateTime(edit.now().toEpochMilli());
        return new FieldUpdate.Assign((current, edit) -> value.of(edit), value);
    }

    private static boolean isTimestamp(String path, BsonValue operand) {
        if (operand instanceof BsonBoolean) {
            return false;
        }
        if (operand instanceof BsonDocument document && document.get("$type") instanceof BsonString type) {
            if (type.getValue().equals("timestamp") || type.getValue().equals("date")) {
                return type.getValue().equals("timestamp");
            }
        }
        throw CommandException.badValue("The field '" + path
                + "' of $currentDate must be a boolean or {$type: 'date'} or {$type: 'timestamp'}");
    }
}
