package dev.sluice.devmongo.command;

import dev.sluice.devmongo.changes.ChangeStreamCursor;
import java.util.Iterator;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** A cursor a client may read on. */
record OpenCursor(long id, String namespace, @Nullable BsonBinary session, Source source) {
    /** Where its documents come from. */
    sealed interface Source {
        record Results(Iterator<BsonDocument> documents) implements Source {}

        record Stream(ChangeStreamCursor stream) implements Source {}
    }
}
