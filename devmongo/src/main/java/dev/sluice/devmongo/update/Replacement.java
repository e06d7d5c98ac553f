package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.BsonOrder;
import dev.sluice.devmongo.query.Query;
import java.time.Instant;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** A whole new document; only the {@code _id} stays. */
record Replacement(BsonDocument replacement) implements Change {
    static Replacement compile(BsonDocument replacement) {
        for (String name : replacement.keySet()) {
            if (name.startsWith("$")) {
                throw new CommandException(
                        52,
                        "DollarPrefixedFieldName",
                        "The dollar ($) prefixed field '" + name + "' in '" + name + "' is not valid for storage.");
            }
        }
        return new Replacement(replacement);
    }

    @Override
    public Update.Result apply(BsonDocument before, @Nullable Query matchedBy, Instant now) {
        return Update.Result.replaced(before, keepingId(before, replacement));
    }

    @Override
    public BsonDocument insert(BsonDocument base, Instant now) {
        return replacement;
    }

    static BsonDocument keepingId(BsonDocument before, BsonDocument after) {
        BsonValue id = before.get("_id");
        BsonValue newId = after.get("_id", id);
        if (id == null || newId == null) {
            return after;
        }
        if (!BsonOrder.valuesEqual(id, newId)) {
            throw Update.immutableId(newId);
        }
        return Update.withIdFirst(id, after);
    }
}
