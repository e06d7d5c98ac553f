package dev.sluice.devmongo;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The server a contract runs against: the real one that MONGODB_URI names, if it is set and not blank, else devmongo. */
final class MongoUnderTest implements AutoCloseable {
    private final DevMongo devmongo;
    private final MongoClient client;
    private final List<MongoDatabase> databases = new ArrayList<>();

    MongoUnderTest() {
        this(System.getenv("MONGODB_URI"));
    }

    /** @param uri a real server; null or blank for devmongo */
    MongoUnderTest(String uri) {
        boolean real = uri != null && !uri.isBlank();
        devmongo = real ? null : DevMongo.builder().start();
        client = MongoClients.create(real ? uri : devmongo.connectionString());
    }

    MongoClient client() {
        return client;
    }

    /** A database nobody else uses; dropped on closing. */
    MongoDatabase database() {
        MongoDatabase made =
                client.getDatabase("contract_" + UUID.randomUUID().toString().replace("-", ""));
        databases.add(made);
        return made;
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
        databases.forEach(MongoDatabase::drop);
        client.close();
        if (devmongo != null) {
            devmongo.close();
        }
    }
}
