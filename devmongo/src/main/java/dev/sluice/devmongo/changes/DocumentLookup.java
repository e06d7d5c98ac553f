package dev.sluice.devmongo.changes;

import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Reads the current document for {@code updateLookup}; null if it, or its collection, is gone. */
@FunctionalInterface
public interface DocumentLookup {
    @Nullable
    BsonDocument find(@Nullable UUID collection, BsonValue id);
}
