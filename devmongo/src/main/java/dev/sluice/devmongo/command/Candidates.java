package dev.sluice.devmongo.command;

import dev.sluice.devmongo.query.Query;
import dev.sluice.devmongo.store.CollectionView;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Finds documents: by {@code _id} where the filter names one, else by looking at all. */
final class Candidates {
    private Candidates() {}

    static List<BsonDocument> find(@Nullable CollectionView view, BsonDocument filter, Query query) {
        if (view == null) {
            return List.of();
        }
        return source(view, filter).filter(query::matches).toList();
    }

    /** As {@link #find}, but each as it is once it may be changed; those that no longer match by then are left out. */
    static List<BsonDocument> findToChange(
            @Nullable CollectionView view,
            BsonDocument filter,
            Query query,
            UnaryOperator<Stream<BsonDocument>> choice) {
        if (view == null) {
            return List.of();
        }
        List<BsonDocument> settled = new ArrayList<>();
        for (BsonDocument found :
                choice.apply(find(view, filter, query).stream()).toList()) {
            BsonDocument current = view.settled(found);
            if (current != null && query.matches(current)) {
                settled.add(current);
            }
        }
        return settled;
    }

    private static Stream<BsonDocument> source(CollectionView view, BsonDocument filter) {
        BsonValue id = filter.get("_id");
        return id == null || !isPlain(id) ? view.all().stream() : Stream.ofNullable(view.byId(id));
    }

    /** A value that can only match itself; null also matches what is missing, and operators match more. */
    private static boolean isPlain(BsonValue id) {
        return switch (id.getBsonType()) {
            case INT32, INT64, STRING, OBJECT_ID, BINARY, DATE_TIME, BOOLEAN -> true;
            default -> false;
        };
    }
}
