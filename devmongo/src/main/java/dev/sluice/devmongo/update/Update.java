package dev.sluice.devmongo.update;

import dev.sluice.devmongo.query.Query;
import java.time.InstantSource;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** An update, replacement or pipeline, compiled once and applied to documents that are never changed in place. */
public final class Update {
    private final BsonValue update;

    private Update(BsonValue update) {
        this.update = update;
    }

    public static Update compile(BsonValue update, List<BsonDocument> arrayFilters, boolean multi) {
        return compile(update, arrayFilters, multi, InstantSource.system());
    }

    /** As above, with the time that {@code $currentDate} and {@code $$NOW} see. */
    public static Update compile(
            BsonValue update, List<BsonDocument> arrayFilters, boolean multi, InstantSource clock) {
        return new Update(update);
    }

    public Result apply(BsonDocument before) {
        return apply(before, null);
    }

    /** {@code matchedBy} is the query that found the document: a positional {@code $} needs it. */
    public Result apply(BsonDocument before, @Nullable Query matchedBy) {
        return new Result.Replaced(update.asDocument());
    }

    /** The document to insert when nothing matched {@code query}; its {@code _id} is made here if nobody gave one. */
    public BsonDocument upsert(BsonDocument query) {
        BsonDocument made = new BsonDocument("_id", query.get("_id", new BsonObjectId()));
        made.putAll(update.asDocument());
        return made;
    }

    /** What an update did to one document. */
    public sealed interface Result {
        /** Nothing to write, and no change event. */
        record Unchanged() implements Result {}

        /** Comes as {@code update}, with these two as its {@code updateDescription}. */
        record Modified(BsonDocument after, BsonDocument updatedFields, BsonArray removedFields) implements Result {}

        /** Comes as {@code replace}. */
        record Replaced(BsonDocument after) implements Result {}
    }
}
