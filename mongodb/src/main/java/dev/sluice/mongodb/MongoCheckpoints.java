package dev.sluice.mongodb;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOptions;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.RawBson;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * Checkpoints in a MongoDB collection, one document {@code {_id: name, token, time, filter}} each, written and read with
 * majority. Keep it out of the watched database, or exclude its collection there: otherwise saving a checkpoint is itself
 * a change to capture. The least role: {@code readWrite} on its database.
 */
public final class MongoCheckpoints implements CheckpointStore {
    public static final String DEFAULT_DATABASE = "sluice";
    public static final String DEFAULT_COLLECTION = "checkpoints";

    private static final String ID = "_id";
    private static final String TOKEN = "token";
    private static final String TIME = "time";
    private static final String FILTER = "filter";

    private final MongoClient client;
    private final MongoCollection<BsonDocument> collection;

    /** @param timeout how long an unreachable server is waited for */
    public MongoCheckpoints(String connection, String database, String collection, Duration timeout) {
        int millis = (int) timeout.toMillis();
        this.client = MongoClients.create(MongoClientSettings.builder()
                .applicationName("sluice")
                .applyToClusterSettings(cluster -> cluster.serverSelectionTimeout(millis, TimeUnit.MILLISECONDS))
                .applyToSocketSettings(socket ->
                        socket.connectTimeout(millis, TimeUnit.MILLISECONDS).readTimeout(millis, TimeUnit.MILLISECONDS))
                .applyConnectionString(new ConnectionString(connection))
                .build());
        this.collection = client.getDatabase(database)
                .getCollection(collection, BsonDocument.class)
                .withWriteConcern(WriteConcern.MAJORITY)
                .withReadConcern(ReadConcern.MAJORITY)
                .withReadPreference(ReadPreference.primary());
    }

    @Override
    public void save(String name, Checkpoint checkpoint) {
        CheckpointStore.checkName(name);
        BsonDocument document = new BsonDocument(ID, new BsonString(name))
                .append(TOKEN, checkpoint.token().view())
                .append(TIME, checkpoint.time().toBson());
        if (checkpoint.filter() != Checkpoint.UNKNOWN_FILTER) {
            document.append(FILTER, new BsonInt64(checkpoint.filter()));
        }
        reach("save", () -> collection.replaceOne(Filters.eq(ID, name), document, new ReplaceOptions().upsert(true)));
    }

    @Override
    public Optional<Checkpoint> load(String name) {
        CheckpointStore.checkName(name);
        return reach(
                "read",
                () -> Optional.ofNullable(collection.find(Filters.eq(ID, name)).first())
                        .map(MongoCheckpoints::checkpoint));
    }

    @Override
    public Map<String, Checkpoint> list() {
        return reach("list", () -> {
            Map<String, Checkpoint> all = new TreeMap<>();
            collection.find().forEach(document -> all.put(document.getString(ID).getValue(), checkpoint(document)));
            return all;
        });
    }

    @Override
    public void delete(String name) {
        CheckpointStore.checkName(name);
        reach("delete", () -> collection.deleteOne(Filters.eq(ID, name)));
    }

    private static Checkpoint checkpoint(BsonDocument document) {
        return new Checkpoint(
                RawBson.of(document.getDocument(TOKEN)),
                ClusterTime.of(document.getTimestamp(TIME)),
                document.getInt64(FILTER, new BsonInt64(Checkpoint.UNKNOWN_FILTER))
                        .getValue());
    }

    private <T> T reach(String what, Supplier<T> call) {
        try {
            return call.get();
        } catch (MongoException failed) {
            throw new CheckpointException(
                    "Cannot " + what + " checkpoints in " + collection.getNamespace()
                            + ": see that this MongoDB can be reached and its user may write there.",
                    failed);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
