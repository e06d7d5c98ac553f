package dev.sluice.devmongo.command;

import dev.sluice.devmongo.changes.StreamBatch;
import org.bson.BsonDocument;

/** What a command has to say, without the fields that every reply ends with. */
sealed interface Outcome {
    /** An ordinary reply. */
    record Fields(BsonDocument document) implements Outcome {}

    /** A hello that the client may let the server repeat whenever something changes. */
    record Hello(BsonDocument document, BsonDocument again) implements Outcome {}

    /** A batch of encoded events, which are copied and never decoded. */
    record Events(StreamBatch batch, boolean first, long cursorId, String namespace) implements Outcome {}

    static Outcome ok() {
        return new Fields(new BsonDocument());
    }

    static Outcome of(BsonDocument document) {
        return new Fields(document);
    }
}
