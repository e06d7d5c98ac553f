package dev.sluice.lane;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonParseException;
import org.jspecify.annotations.Nullable;

/** Makes an event of what a dead letter kept of it. */
public final class RevivedEvent {
    private static final String NO_BACKEND = "dead-letter";

    private RevivedEvent() {}

    /** @throws InvalidInputException when the letter is damaged */
    public static OutgoingEvent of(DeadLetter letter) {
        try {
            BsonDocument entry = BsonDocument.parse(new String(letter.entry(), StandardCharsets.UTF_8));
            String documentId = text(entry, "documentId");
            return new OutgoingEvent(new ChangeEvent(
                    EventId.parse(letter.eventId()),
                    NO_BACKEND,
                    operation(letter.type()),
                    text(entry, "tenant"),
                    text(entry, "collection"),
                    documentId.isEmpty() ? DocumentId.NONE : new DocumentId(DocumentId.Kind.STRING, documentId),
                    document(entry, "document"),
                    document(entry, "updateDescription"),
                    entry.getNumber("timestamp").longValue(),
                    OptionalLong.empty(),
                    entry.getBoolean("lookup", BsonBoolean.FALSE).getValue()));
        } catch (JsonParseException | BsonInvalidOperationException e) {
            throw new InvalidInputException("dead letter " + letter.id() + " cannot be read: " + e.getMessage());
        }
    }

    /** What an event is told as says what it was, except for filters it began or ceased to match. */
    private static Operation operation(EventType type) {
        return switch (type) {
            case ENTER, LEAVE -> Operation.UPDATE;
            case INSERT, UPDATE, REPLACE, DELETE, DROP, RENAME, INVALIDATE, RESYNC -> Operation.parse(type.text());
        };
    }

    private static String text(BsonDocument entry, String name) {
        return entry.getString(name, new BsonString("")).getValue();
    }

    private static @Nullable RawBson document(BsonDocument entry, String name) {
        BsonValue value = entry.get(name, BsonNull.VALUE);
        if (value.isBinary()) {
            return RawBson.of(value.asBinary().getData());
        }
        return value.isDocument() ? RawBson.of(value.asDocument()) : null;
    }
}
