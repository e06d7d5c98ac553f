package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.BsonCopy;
import dev.sluice.devmongo.query.BsonOrder;
import dev.sluice.devmongo.query.Query;
import java.time.InstantSource;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * An update, replacement or pipeline, compiled once; what is wrong with it is refused then. Documents that come in
 * are never changed, and what comes out must not be changed either: it may share values with the update.
 */
public final class Update {
    private final Change change;
    private final InstantSource clock;

    private Update(Change change, InstantSource clock) {
        this.change = change;
        this.clock = clock;
    }

    public static Update compile(BsonValue update, List<BsonDocument> arrayFilters, boolean multi) {
        return compile(update, arrayFilters, multi, InstantSource.system());
    }

    /** As above, with the time that {@code $currentDate} and {@code $$NOW} see. */
    public static Update compile(
            BsonValue update, List<BsonDocument> arrayFilters, boolean multi, InstantSource clock) {
        return new Update(change(BsonCopy.of(update), arrayFilters, multi), clock);
    }

    private static Change change(BsonValue update, List<BsonDocument> arrayFilters, boolean multi) {
        if (update instanceof BsonArray stages) {
            if (!arrayFilters.isEmpty()) {
                throw CommandException.failedToParse("arrayFilters may not be specified for pipeline-style updates");
            }
            return PipelineUpdate.compile(stages);
        }
        if (!(update instanceof BsonDocument document)) {
            throw CommandException.failedToParse(
                    "Update argument must be either an object or an array, give {$set: ...} or a replacement");
        }
        if (!document.isEmpty() && document.getFirstKey().startsWith("$")) {
            return ModifierUpdate.compile(document, ArrayFilters.compile(arrayFilters));
        }
        if (!arrayFilters.isEmpty()) {
            throw CommandException.failedToParse("arrayFilters may not be specified for replacement-style updates");
        }
        if (multi) {
            throw CommandException.failedToParse("multi update is not supported for replacement-style update");
        }
        return Replacement.compile(document);
    }

    public Result apply(BsonDocument before) {
        return apply(before, null);
    }

    /** {@code matchedBy} is the query that found the document: a positional {@code $} needs it. */
    public Result apply(BsonDocument before, @Nullable Query matchedBy) {
        return change.apply(before, matchedBy, clock.instant());
    }

    /** The document to insert when nothing matched {@code query}; its {@code _id} is made here if nobody gave one. */
    public BsonDocument upsert(BsonDocument query) {
        BsonDocument base = EqualityFields.of(query);
        BsonDocument made = change.insert(base, clock.instant());
        BsonValue wanted = base.get("_id");
        BsonValue id = made.get("_id", wanted == null ? new BsonObjectId() : wanted);
        if (wanted != null && !BsonOrder.valuesEqual(wanted, id)) {
            throw immutableId(id);
        }
        return withIdFirst(id, made);
    }

    static CommandException immutableId(@Nullable BsonValue altered) {
        return new CommandException(
                66,
                "ImmutableField",
                altered == null
                        ? "Performing an update on the path '_id' would modify the immutable field '_id'"
                        : "After applying the update, the (immutable) field '_id' was found to have been altered to "
                                + Describe.field("_id", altered));
    }

    static BsonDocument withIdFirst(BsonValue id, BsonDocument document) {
        BsonDocument result = new BsonDocument("_id", id);
        document.forEach((name, value) -> {
            if (!name.equals("_id")) {
                result.put(name, value);
            }
        });
        return result;
    }

    /** What an update did to one document. */
    public sealed interface Result {
        /** Nothing to write, and no change event. */
        record Unchanged() implements Result {}

        /** Comes as {@code update}, with these two as its {@code updateDescription}. */
        record Modified(BsonDocument after, BsonDocument updatedFields, BsonArray removedFields) implements Result {}

        /** Comes as {@code replace}. */
        record Replaced(BsonDocument after) implements Result {}

        /** Replaced, unless the two are the same byte for byte. */
        static Result replaced(BsonDocument before, BsonDocument after) {
            return BsonCopy.identical(before, after) ? new Unchanged() : new Replaced(after);
        }
    }
}
