package dev.sluice.devmongo.oplog;

import java.util.List;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** What a write left behind in the store. Collections are named by their uuid, which survives a rename. */
public sealed interface Effect {
    UUID collection();

    /** The document as it is now, inserted or changed. */
    record Put(UUID collection, BsonDocument document) implements Effect {}

    /** The document of that {@code _id} is gone. */
    record Remove(UUID collection, BsonValue id) implements Effect {}

    /** The collection was created, renamed, or its options or indexes changed: name, options and indexes as they are now. */
    record Shape(UUID collection, String database, String name, BsonDocument options, List<BsonDocument> indexes)
            implements Effect {}

    /** The collection and all its documents are gone. */
    record Drop(UUID collection) implements Effect {}
}
