package dev.sluice.devmongo;

import com.mongodb.MongoNamespace;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.RenameCollectionOptions;
import com.mongodb.client.model.Updates;
import java.util.List;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** Writes a random history into a few collections: single writes, transactions, drops and renames. */
final class RandomHistory {
    private static final List<String> COLLECTIONS = List.of("red", "green", "blue");

    private final MongoClient client;
    private final MongoDatabase database;
    private final Random random;

    RandomHistory(MongoClient client, MongoDatabase database, long seed) {
        this.client = client;
        this.database = database;
        this.random = new Random(seed);
    }

    void write(int operations) {
        COLLECTIONS.forEach(name -> database.getCollection(name).insertOne(new org.bson.Document("_id", -1)));
        for (int i = 0; i < operations; i++) {
            switch (random.nextInt(12)) {
                case 0 -> transaction();
                case 1 -> collection().drop();
                case 2 -> rename();
                default -> single(null);
            }
        }
    }

    private MongoCollection<BsonDocument> collection() {
        return database.getCollection(COLLECTIONS.get(random.nextInt(COLLECTIONS.size())), BsonDocument.class);
    }

    private void transaction() {
        try (ClientSession session = client.startSession()) {
            session.withTransaction(() -> {
                int writes = 1 + random.nextInt(4);
                for (int i = 0; i < writes; i++) {
                    single(session);
                }
                return writes;
            });
        }
    }

    private void single(ClientSession session) {
        MongoCollection<BsonDocument> collection = collection();
        int id = random.nextInt(6);
        BsonDocument document = new BsonDocument("_id", new BsonInt32(id)).append("v", new BsonInt32(random.nextInt()));
        com.mongodb.client.model.ReplaceOptions upsert = new com.mongodb.client.model.ReplaceOptions().upsert(true);
        switch (random.nextInt(3)) {
            case 0 -> {
                if (session == null) {
                    collection.replaceOne(Filters.eq("_id", id), document, upsert);
                } else {
                    collection.replaceOne(session, Filters.eq("_id", id), document, upsert);
                }
            }
            case 1 -> {
                if (session == null) {
                    collection.updateOne(Filters.eq("_id", id), Updates.inc("n", 1));
                } else {
                    collection.updateOne(session, Filters.eq("_id", id), Updates.inc("n", 1));
                }
            }
            default -> {
                if (session == null) {
                    collection.deleteOne(Filters.eq("_id", id));
                } else {
                    collection.deleteOne(session, Filters.eq("_id", id));
                }
            }
        }
    }

    private void rename() {
        MongoCollection<BsonDocument> from = collection();
        MongoCollection<BsonDocument> to = collection();
        from.insertOne(new BsonDocument("made", new BsonInt32(1)));
        if (!from.getNamespace().equals(to.getNamespace())) {
            from.renameCollection(
                    new MongoNamespace(database.getName(), to.getNamespace().getCollectionName()),
                    new RenameCollectionOptions().dropTarget(true));
        }
    }
}
