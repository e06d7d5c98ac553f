package dev.sluice.server.demo;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.Document;

/**
 * A small shop with two tenants: orders are placed, paid, packed, shipped, and now and then cancelled. The examples of the
 * page {@code /try} match some of them.
 */
final class Shop implements AutoCloseable {
    static final String DATABASE = "shop";
    private static final List<String> TENANTS = List.of("acme", "globex");
    private static final List<String> GOODS = List.of("tea", "coffee", "honey", "bread", "cheese", "apples");
    private static final List<String> STEPS = List.of("paid", "packed", "shipped");
    private static final int OPEN_ORDERS = 40;

    /** An order that is not done yet. */
    private record Order(String id, int step) {}

    private final MongoClient client;
    private final MongoCollection<Document> orders;
    private final SplittableRandom random = new SplittableRandom();
    private final List<Order> open = new ArrayList<>();
    private final AtomicLong written = new AtomicLong();
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread;
    private long next = System.currentTimeMillis() / 1000 % 1_000_000 * 1000;

    Shop(String connection, int writesPerSecond) {
        this.client = MongoClients.create(connection);
        this.orders = client.getDatabase(DATABASE).getCollection("orders");
        var pause = Duration.ofSeconds(1).dividedBy(writesPerSecond);
        this.thread = Thread.ofVirtual().name("shop").start(() -> run(pause));
    }

    private void run(Duration pause) {
        try {
            do {
                write();
            } while (!stop.await(pause.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (MongoException gone) {
            // the server is closed before us only when everything ends
        }
    }

    private void write() {
        var dice = random.nextInt(10);
        if (open.isEmpty() || dice < 4 && open.size() < OPEN_ORDERS) {
            place();
        } else if (dice == 9) {
            cancel();
        } else {
            advance();
        }
        written.incrementAndGet();
    }

    private void place() {
        var id = TENANTS.get(random.nextInt(TENANTS.size())) + ":order-" + next++;
        var what = GOODS.get(random.nextInt(GOODS.size()));
        orders.insertOne(new Document("_id", id)
                .append("state", "placed")
                .append("item", what)
                .append("quantity", 1 + random.nextInt(5)));
        open.add(new Order(id, 0));
    }

    private void advance() {
        var order = open.remove(random.nextInt(open.size()));
        orders.updateOne(Filters.eq("_id", order.id), Updates.set("state", STEPS.get(order.step)));
        if (order.step + 1 < STEPS.size()) {
            open.add(new Order(order.id, order.step + 1));
        }
    }

    private void cancel() {
        orders.deleteOne(Filters.eq("_id", open.remove(random.nextInt(open.size())).id));
    }

    long written() {
        return written.get();
    }

    @Override
    public void close() {
        stop.countDown();
        try {
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        client.close();
    }
}
