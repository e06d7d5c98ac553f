package dev.sluice.devmongo.update;

import dev.sluice.devmongo.query.Query;
import java.time.Instant;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** The three forms an update takes. */
sealed interface Change permits ModifierUpdate, PipelineUpdate, Replacement {
    Update.Result apply(BsonDocument before, @Nullable Query matchedBy, Instant now);

    /** The document to insert; {@code base} holds the fields that the query demands. */
    BsonDocument insert(BsonDocument base, Instant now);
}
