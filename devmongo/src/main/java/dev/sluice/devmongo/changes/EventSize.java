package dev.sluice.devmongo.changes;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.token.MongoText;
import java.util.Map;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/** The limits on what one reply may carry. */
final class EventSize {
    /** A batch stops before it passes this, unless its first event alone does. */
    static final int BATCH_BYTES = 16 << 20;

    /** The largest event that can be sent at all. */
    static final int EVENT_BYTES = BATCH_BYTES + (16 << 10);

    private EventSize() {}

    static void require(byte[] event) {
        if (event.length <= EVENT_BYTES) {
            return;
        }
        Map.Entry<String, BsonValue> first =
                new RawBsonDocument(event).entrySet().iterator().next();
        throw new CommandException(
                10334,
                "BSONObjectTooLarge",
                "BSONObj size: %d (0x%X) is invalid. Size must be between 0 and 16793600(16MB) First element: %s: %s"
                        .formatted(event.length, event.length, first.getKey(), MongoText.spaced(first.getValue())));
    }
}
