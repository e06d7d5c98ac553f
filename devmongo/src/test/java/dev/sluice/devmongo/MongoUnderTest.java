package dev.sluice.devmongo;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import java.util.UUID;

/** The server a contract runs against: the real one that MONGODB_URI names, else devmongo. */
final class MongoUnderTest implements AutoCloseable {
    private final DevMongo devmongo;
    private final MongoClient client;

    MongoUnderTest() {
        String uri = System.getenv("MONGODB_URI");
        devmongo = uri == null ? DevMongo.builder().start() : null;
        client = MongoClients.create(uri == null ? devmongo.connectionString() : uri);
    }

    MongoClient client() {
        return client;
    }

    /** A database nobody else uses. */
    MongoDatabase database() {
        return client.getDatabase("contract_" + UUID.randomUUID().toString().replace("-", ""));
    }

    /** For tests that need the server to misbehave: they run on devmongo only. */
    DevMongoScript script() {
        assumeTrue(devmongo != null, "needs devmongo's script");
        return devmongo.script();
    }

    String connectionString() {
        assumeTrue(devmongo != null, "needs devmongo");
        return devmongo.connectionString();
    }

    @Override
    public void close() {
        client.close();
        if (devmongo != null) {
            devmongo.close();
        }
    }
}
