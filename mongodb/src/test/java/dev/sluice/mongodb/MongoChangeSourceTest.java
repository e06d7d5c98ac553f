package dev.sluice.mongodb;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import dev.sluice.capture.ChangeSource;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.testkit.contract.ChangeSourceContract;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** The contract over devmongo, or over the real MongoDB that MONGODB_URI names. */
class MongoChangeSourceTest extends ChangeSourceContract {
    private final @Nullable String real = realServer();
    private final @Nullable DevMongo server = real == null ? DevMongo.builder().start() : null;
    private final String connection =
            real != null ? real : Objects.requireNonNull(server).connectionString();
    private final String database = "contract_" + UUID.randomUUID().toString().substring(0, 8);
    private final MongoClient client = MongoClients.create(connection);
    private final MongoChangeSource source = new MongoChangeSource(streams(
            MongoSourceSettings.of(connection, database).withTimes(Duration.ofMillis(100), Duration.ofSeconds(5))));

    /** How many, and of what. */
    MongoSourceSettings streams(MongoSourceSettings settings) {
        return settings;
    }

    /** Set but empty is not set. */
    private static @Nullable String realServer() {
        String uri = System.getenv("MONGODB_URI");
        return uri == null || uri.isBlank() ? null : uri;
    }

    @AfterEach
    void close() {
        source.close();
        if (real != null) {
            database().drop();
        }
        client.close();
        if (server != null) {
            server.close();
        }
    }

    private MongoDatabase database() {
        return client.getDatabase(database);
    }

    @Override
    protected ChangeSource source() {
        return source;
    }

    @Override
    protected void commit(String collection, String... ids) {
        for (String id : ids) {
            database().getCollection(collection).insertOne(new Document("_id", id));
        }
    }

    @Override
    protected void commitTogether(String collection, String... ids) {
        try (ClientSession session = client.startSession()) {
            session.withTransaction(() -> {
                for (String id : ids) {
                    database().getCollection(collection).insertOne(session, new Document("_id", id));
                }
                return ids.length;
            });
        }
    }

    @Override
    protected void otherWrite() {
        client.getDatabase(database + "_other").getCollection("x").insertOne(new Document());
    }

    @Override
    protected boolean forgetHistory() {
        if (server != null) {
            server.script().rollOplogOver();
        }
        return server != null;
    }
}
