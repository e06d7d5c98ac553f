package dev.sluice.server.puller;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOptions;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.testkit.ledger.Ledger;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.bson.Document;

/** Writes numbered versions of a few documents, as whole documents, so that each event carries its own version. */
final class VersionWriter implements AutoCloseable {
    static final int DOCUMENTS = 20;
    private static final Duration PAUSE = Duration.ofMillis(8);

    private final String name;
    private final Ledger ledger;
    private final MongoClient client;
    private final MongoCollection<Document> orders;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread;

    VersionWriter(String name, DevMongo mongo, Ledger ledger) {
        this.name = name;
        this.ledger = ledger;
        this.client = MongoClients.create(mongo.connectionString());
        this.orders = client.getDatabase("shop").getCollection("orders");
        this.thread = Thread.ofPlatform().name("writer-" + name).start(this::run);
    }

    private void run() {
        try {
            for (var n = 0; !stop.await(PAUSE.toNanos(), TimeUnit.NANOSECONDS); n++) {
                var document = name + "-" + n % DOCUMENTS;
                var version = 1 + n / DOCUMENTS;
                ledger.attempted(document, version);
                orders.replaceOne(
                        Filters.eq("_id", document), new Document("v", version), new ReplaceOptions().upsert(true));
                ledger.written(document, version);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws InterruptedException {
        stop.countDown();
        thread.join();
        client.close();
    }
}
