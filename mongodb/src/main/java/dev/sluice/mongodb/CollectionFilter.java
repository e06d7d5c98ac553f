package dev.sluice.mongodb;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.Fnv1a64;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Which collections are watched: only these, or all but these, or all. It is applied by the server, and control events
 * always pass there: hidden behind an {@code $in}, an invalidate ends the stream without a word.
 */
public record CollectionFilter(Set<String> include, Set<String> exclude) {
    public static final CollectionFilter ALL = new CollectionFilter(Set.of(), Set.of());

    private static final BsonDocument CONTROL =
            in("operationType", "$in", List.of("drop", "rename", "dropDatabase", "invalidate"));

    public CollectionFilter {
        include = Set.copyOf(include);
        exclude = Set.copyOf(exclude);
        if (!include.isEmpty() && !exclude.isEmpty()) {
            throw new IllegalArgumentException(
                    "include_collections and exclude_collections exclude each other: keep the one you mean");
        }
    }

    public static CollectionFilter including(String... collections) {
        return new CollectionFilter(Set.of(collections), Set.of());
    }

    public static CollectionFilter excluding(String... collections) {
        return new CollectionFilter(Set.of(), Set.of(collections));
    }

    /** What one of several streams serves: every so manieth of the included collections. */
    CollectionFilter share(int stream, int streams) {
        List<String> sorted = include.stream().sorted().toList();
        Set<String> share = IntStream.range(0, sorted.size())
                .filter(k -> k % streams == stream)
                .mapToObj(sorted::get)
                .collect(Collectors.toSet());
        return streams == 1 ? this : new CollectionFilter(share, Set.of());
    }

    boolean passes(String collection) {
        return include.isEmpty() ? !exclude.contains(collection) : include.contains(collection);
    }

    /** A number for this filter, the same in every process; never {@link Checkpoint#UNKNOWN_FILTER}. */
    long fingerprint() {
        long hash = Fnv1a64.hash(new BsonDocument("stages", new BsonArray(stages())).toJson());
        return hash == Checkpoint.UNKNOWN_FILTER ? 1 : hash;
    }

    /** The stages behind {@code $changeStream}; the same set always yields the same stages. */
    List<BsonDocument> stages() {
        if (include.isEmpty() && exclude.isEmpty()) {
            return List.of();
        }
        BsonDocument collections = include.isEmpty()
                ? in("ns.coll", "$nin", exclude.stream().sorted().toList())
                : in("ns.coll", "$in", include.stream().sorted().toList());
        BsonDocument either = new BsonDocument("$or", new BsonArray(List.of(collections, CONTROL)));
        return List.of(new BsonDocument("$match", either));
    }

    private static BsonDocument in(String field, String operator, List<String> values) {
        List<BsonValue> texts = values.stream().<BsonValue>map(BsonString::new).toList();
        return new BsonDocument(field, new BsonDocument(operator, new BsonArray(texts)));
    }
}
