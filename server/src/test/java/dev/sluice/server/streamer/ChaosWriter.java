package dev.sluice.server.streamer;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOptions;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.testkit.ledger.Recorder;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.bson.Document;

/** Writes numbered versions of a few documents; now and then one that gateways never want. */
final class ChaosWriter implements AutoCloseable {
    static final int DOCUMENTS = 40;
    private static final int ONE_POISONED_OF = 97;
    private static final int PAUSE_MILLIS = 4;

    private final Recorder ledger;
    private final MongoClient client;
    private final Set<String> poisoned = ConcurrentHashMap.newKeySet();
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread;

    ChaosWriter(DevMongo mongo, Recorder ledger) {
        this.ledger = ledger;
        this.client = MongoClients.create(mongo.connectionString());
        this.thread = Thread.ofPlatform().name("writer").start(this::run);
    }

    private void run() {
        var orders = client.getDatabase("shop").getCollection("orders");
        var upsert = new ReplaceOptions().upsert(true);
        try {
            for (int n = 0; !stop.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS); n++) {
                int number = n % DOCUMENTS;
                int version = 1 + n / DOCUMENTS;
                boolean poison = n % ONE_POISONED_OF == ONE_POISONED_OF - 1;
                String id = "d" + number;
                if (!poison) {
                    ledger.attempted(id, version);
                }
                orders.replaceOne(
                        Filters.eq("_id", id),
                        new Document("v", version).append("even", isEven(id)).append("poison", poison),
                        upsert);
                if (poison) {
                    poisoned.add(id + '@' + version);
                } else {
                    ledger.written(id, version);
                }
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    static boolean isEven(String document) {
        return Integer.parseInt(document.substring(1)) % 2 == 0;
    }

    /** {@code document@version} of each that gateways never want. */
    Set<String> poisoned() {
        return poisoned;
    }

    @Override
    public void close() throws InterruptedException {
        stop.countDown();
        thread.join();
        client.close();
    }
}
