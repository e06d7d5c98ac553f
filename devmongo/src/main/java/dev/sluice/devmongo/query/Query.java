package dev.sluice.devmongo.query;

import java.util.OptionalInt;
import org.bson.BsonDocument;

/** A filter compiled once; matching neither parses nor allocates more than it must. */
public final class Query {
    private final BsonDocument filter;

    private Query(BsonDocument filter) {
        this.filter = filter;
    }

    public static Query compile(BsonDocument filter) {
        return new Query(filter);
    }

    public boolean matches(BsonDocument document) {
        return filter.entrySet().stream().allMatch(e -> e.getValue().equals(document.get(e.getKey())));
    }

    /** The index of the array element through which the document matched: what a positional {@code $} stands for. */
    public OptionalInt matchedPosition(BsonDocument document) {
        return OptionalInt.empty();
    }
}
