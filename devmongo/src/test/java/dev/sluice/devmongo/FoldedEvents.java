package dev.sluice.devmongo;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** What a reader knows who has seen nothing but the events: the documents of each collection by {@code _id}. */
final class FoldedEvents {
    private final Map<String, Map<String, BsonDocument>> collections = new TreeMap<>();

    private FoldedEvents() {}

    /** Collections without documents are left out: events do not tell whether they exist. */
    static Map<String, Map<String, BsonDocument>> of(List<BsonDocument> events) {
        FoldedEvents folded = new FoldedEvents();
        events.forEach(folded::apply);
        folded.collections.values().removeIf(Map::isEmpty);
        return folded.collections;
    }

    static String key(BsonValue id) {
        return new BsonDocument("_id", id).toJson();
    }

    private void apply(BsonDocument event) {
        String name = event.getDocument("ns").getString("coll").getValue();
        Map<String, BsonDocument> collection = collections.computeIfAbsent(name, absent -> new TreeMap<>());
        switch (event.getString("operationType").getValue()) {
            case "insert", "replace" ->
                collection.put(keyOf(event), event.getDocument("fullDocument").clone());
            case "update" -> update(collection.get(keyOf(event)), event.getDocument("updateDescription"));
            case "delete" -> collection.remove(keyOf(event));
            case "drop" -> collections.remove(name);
            case "rename" -> {
                collections.remove(name);
                collections.put(event.getDocument("to").getString("coll").getValue(), collection);
            }
            default -> throw new AssertionError("Unexpected: " + event);
        }
    }

    /** The random history changes top-level fields only, which need no path. */
    private static void update(BsonDocument document, BsonDocument description) {
        document.putAll(description.getDocument("updatedFields"));
        description
                .getArray("removedFields")
                .forEach(field -> document.remove(field.asString().getValue()));
    }

    private static String keyOf(BsonDocument event) {
        return key(event.getDocument("documentKey").get("_id"));
    }
}
