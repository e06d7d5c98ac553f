package dev.sluice.server.puller;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import dev.sluice.devmongo.DevMongo;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bson.Document;

/**
 * Writes so many versions a second, in turn, of a fixed number of documents: the n-th write is version n / documents + 1
 * of document n mod documents. When the machine is too slow it writes as fast as it can, and does not make up for it.
 */
final class SteadyLoad implements AutoCloseable {
    static final int DOCUMENTS = 500;

    private final MongoClient client;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread;
    private volatile long written;

    SteadyLoad(DevMongo mongo, int rate) {
        this.client = MongoClients.create(mongo.connectionString());
        this.thread = Thread.ofPlatform().name("steady-load").start(() -> run(1_000_000_000L * DOCUMENTS / rate));
    }

    private void run(long nanosPerRound) {
        var orders = client.getDatabase("shop").getCollection("orders");
        var upsert = new ReplaceOptions().upsert(true);
        var filler = "x".repeat(200);
        try {
            long next = System.nanoTime();
            for (int version = 1; !stop.await(next - System.nanoTime(), TimeUnit.NANOSECONDS); version++) {
                var document = new Document("v", version).append("filler", filler);
                orders.bulkWrite(IntStream.range(0, DOCUMENTS)
                        .mapToObj(n -> new ReplaceOneModel<>(Filters.eq("_id", Integer.toString(n)), document, upsert))
                        .toList());
                written += DOCUMENTS;
                next = Math.max(next + nanosPerRound, System.nanoTime() - nanosPerRound);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    long written() {
        return written;
    }

    @Override
    public void close() throws InterruptedException {
        stop.countDown();
        thread.join();
        client.close();
    }
}
