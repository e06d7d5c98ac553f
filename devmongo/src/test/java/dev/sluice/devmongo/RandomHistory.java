package dev.sluice.devmongo;

import com.mongodb.MongoNamespace;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.RenameCollectionOptions;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.WriteModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/**
 * Writes a random history into a few collections (single writes, transactions, drops and renames) and works out by itself
 * which events that must give: operation, collection and document key, in order.
 */
final class RandomHistory {
    private static final List<String> COLLECTIONS = List.of("red", "green", "blue");

    private enum Kind {
        UPSERT,
        INCREMENT,
        DELETE
    }

    private record Write(String collection, Kind kind, int id, int value) {
        WriteModel<BsonDocument> model() {
            return switch (kind) {
                case UPSERT ->
                    new ReplaceOneModel<>(
                            Filters.eq("_id", id),
                            document(id).append("v", new BsonInt32(value)),
                            new ReplaceOptions().upsert(true));
                case INCREMENT -> new UpdateOneModel<>(Filters.eq("_id", id), Updates.inc("n", 1));
                case DELETE -> new DeleteOneModel<>(Filters.eq("_id", id));
            };
        }
    }

    private final MongoClient client;
    private final MongoDatabase database;
    private final Random random;
    /** The ids in each collection that exists. */
    private final Map<String, Set<Integer>> ids = new HashMap<>();

    private final List<String> expected = new ArrayList<>();
    private int lastId = 1000;

    RandomHistory(MongoClient client, MongoDatabase database, long seed) {
        this.client = client;
        this.database = database;
        this.random = new Random(seed);
    }

    /** The events that must come, as {@link #describe} says them. */
    List<String> expected() {
        return expected;
    }

    /** What an event says of where and on what it happened. */
    static String describe(BsonDocument event) {
        String to = event.isDocument("to")
                ? " to " + event.getDocument("to").getString("coll").getValue()
                : "";
        String key = event.isDocument("documentKey")
                ? " " + event.getDocument("documentKey").toJson()
                : "";
        return event.getString("operationType").getValue() + " "
                + event.getDocument("ns").getString("coll").getValue() + key + to;
    }

    /** What is in the collections now, by {@code _id}; empty ones are left out. */
    Map<String, Map<String, BsonDocument>> documents() {
        Map<String, Map<String, BsonDocument>> all = new TreeMap<>();
        for (String name : COLLECTIONS) {
            for (BsonDocument document : collection(name).find()) {
                all.computeIfAbsent(name, absent -> new TreeMap<>())
                        .put(FoldedEvents.key(document.get("_id")), document);
            }
        }
        return all;
    }

    void write(int operations) {
        COLLECTIONS.forEach(this::insert);
        for (int i = 0; i < operations; i++) {
            switch (random.nextInt(12)) {
                case 0 -> transaction();
                case 1 -> drop(any());
                case 2 -> rename(any(), any());
                default -> single(write());
            }
        }
    }

    private String any() {
        return COLLECTIONS.get(random.nextInt(COLLECTIONS.size()));
    }

    private Write write() {
        return new Write(any(), Kind.values()[random.nextInt(3)], random.nextInt(6), random.nextInt());
    }

    private MongoCollection<BsonDocument> collection(String name) {
        return database.getCollection(name, BsonDocument.class);
    }

    private static BsonDocument document(int id) {
        return new BsonDocument("_id", new BsonInt32(id));
    }

    private void insert(String collection) {
        int id = ++lastId;
        collection(collection).insertOne(document(id));
        ids.computeIfAbsent(collection, absent -> new HashSet<>()).add(id);
        expect("insert", collection, id);
    }

    private void single(Write write) {
        collection(write.collection()).bulkWrite(List.of(write.model()));
        expect(write);
    }

    /** Chosen before it runs, because the driver may have to run it again. */
    private void transaction() {
        List<Write> writes =
                Stream.generate(this::write).limit(1 + random.nextInt(4)).toList();
        try (ClientSession session = client.startSession()) {
            session.withTransaction(() -> {
                writes.forEach(write -> collection(write.collection())
                        .bulkWrite(session, List.of(write.model()), new BulkWriteOptions()));
                return writes.size();
            });
        }
        writes.forEach(this::expect);
    }

    private void expect(Write write) {
        Set<Integer> there = ids.getOrDefault(write.collection(), Set.of());
        boolean found = there.contains(write.id());
        switch (write.kind()) {
            case UPSERT -> {
                ids.computeIfAbsent(write.collection(), absent -> new HashSet<>())
                        .add(write.id());
                expect(found ? "replace" : "insert", write.collection(), write.id());
            }
            case INCREMENT -> {
                if (found) {
                    expect("update", write.collection(), write.id());
                }
            }
            case DELETE -> {
                if (found) {
                    there.remove(write.id());
                    expect("delete", write.collection(), write.id());
                }
            }
        }
    }

    private void expect(String operation, String collection, int id) {
        expected.add(operation + " " + collection + " " + document(id).toJson());
    }

    /** A collection that is not there gives no event. */
    private void drop(String collection) {
        collection(collection).drop();
        if (ids.remove(collection) != null) {
            expected.add("drop " + collection);
        }
    }

    private void rename(String from, String to) {
        insert(from);
        if (!from.equals(to)) {
            collection(from)
                    .renameCollection(
                            new MongoNamespace(database.getName(), to), new RenameCollectionOptions().dropTarget(true));
            ids.put(to, ids.remove(from));
            expected.add("rename " + from + " to " + to);
        }
    }
}
