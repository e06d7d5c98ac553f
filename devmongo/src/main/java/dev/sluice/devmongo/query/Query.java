package dev.sluice.devmongo.query;

import java.util.OptionalInt;
import org.bson.BsonDocument;

/**
 * A filter compiled once: bad operators are refused at {@link #compile}, matching neither parses nor allocates more
 * than it must. Safe to share between threads.
 */
public final class Query {
    private final Filter filter;

    private Query(Filter filter) {
        this.filter = filter;
    }

    public static Query compile(BsonDocument filter) {
        return new Query(Filter.compile(BsonCopy.of(filter)));
    }

    public boolean matches(BsonDocument document) {
        return filter.locate(document) != FieldPath.NOT_FOUND;
    }

    /** The index of the array element through which the document matched: what a positional {@code $} stands for. */
    public OptionalInt matchedPosition(BsonDocument document) {
        int position = filter.locate(document);
        return position >= 0 ? OptionalInt.of(position) : OptionalInt.empty();
    }
}
