package dev.sluice.bench;

import dev.sluice.match.Filter;
import dev.sluice.match.SubscriptionIndex;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * Subscriptions and the events they wait for. Five subscriptions ask for each customer: two alike, one with a list, one
 * with a bound, one with a range of its own; every one of them names a region too, which thousands share. An event
 * matches the five of its customer.
 */
final class MatchWorld {
    static final int MATCHES = 5;
    private static final int EVENTS = 20_000;
    private static final int REGIONS = 10;

    /** How subscriptions lie: over how many collections, and whether most of them crowd in one region. */
    enum Layout {
        HUNDRED_COLLECTIONS(100, false),
        ONE_COLLECTION(1, false),
        SKEWED(1, true);

        private final int collections;
        private final boolean skewed;

        Layout(int collections, boolean skewed) {
            this.collections = collections;
            this.skewed = skewed;
        }
    }

    private final Layout layout;
    private final List<Subscription> subscriptions = new ArrayList<>();
    private final List<Filter> filters = new ArrayList<>();
    private final List<ChangeEvent> events = new ArrayList<>();
    private final SubscriptionIndex index = new SubscriptionIndex();
    private final long heapPerSubscription;

    MatchWorld(Layout layout, int size) {
        this.layout = layout;
        int customers = size / MATCHES;
        for (int customer = 0; customer < customers; customer++) {
            subscribe(customer);
        }
        SplittableRandom random = new SplittableRandom(3);
        for (int k = 0; k < EVENTS; k++) {
            events.add(event(random.nextInt(customers), k));
        }
        long before = liveHeap();
        long start = System.nanoTime();
        subscriptions.forEach(index::add);
        long nanos = System.nanoTime() - start;
        heapPerSubscription = (liveHeap() - before) / size;
        System.err.printf(
                "%s, %,d subscriptions: added in %.1f s, %d B of heap each besides the subscription%n",
                layout, size, nanos / 1e9, heapPerSubscription);
    }

    SubscriptionIndex index() {
        return index;
    }

    List<Subscription> subscriptions() {
        return subscriptions;
    }

    /** Compiled, one for each subscription: for those who ask one by one. */
    List<Filter> filters() {
        if (filters.isEmpty()) {
            subscriptions.forEach(subscription -> filters.add(Filter.parse(subscription.filter())));
        }
        return filters;
    }

    List<ChangeEvent> events() {
        return events;
    }

    long heapPerSubscription() {
        return heapPerSubscription;
    }

    private void subscribe(int customer) {
        String who = "\"customer\":\"" + name(customer) + "\"";
        String where = "\"region\":\"" + region(customer) + "\"";
        add(customer, 0, "{" + where + "," + who + "}");
        add(customer, 1, "{" + where + "," + who + "}");
        add(customer, 2, "{" + where + "," + who + ",\"status\":{\"$in\":[\"open\",\"paid\"]}}");
        add(customer, 3, "{" + where + "," + who + ",\"total\":{\"$gte\":100}}");
        add(
                customer,
                4,
                "{" + where + ",\"order\":{\"$gte\":" + 10L * customer + ",\"$lt\":" + (10L * customer + 10) + "}}");
    }

    private void add(int customer, int which, String filter) {
        String id = "subscription-" + customer + "-" + which;
        subscriptions.add(Subscription.of(id, "gateway-" + customer % 20, "", collection(customer), filter));
    }

    private ChangeEvent event(int customer, int number) {
        BsonDocument document = new BsonDocument("_id", new BsonInt32(number))
                .append("region", new BsonString(region(customer)))
                .append("status", new BsonString(number % 2 == 0 ? "open" : "paid"))
                .append("customer", new BsonString(name(customer)))
                .append("order", new BsonInt64(10L * customer + number % 10))
                .append("total", new BsonDouble(100 + number % 1000 / 4.0))
                .append("tags", new BsonArray(List.of(new BsonString("new"), new BsonString("web"))))
                .append(
                        "shipping",
                        new BsonDocument("city", new BsonString("Bergen")).append("zip", new BsonInt32(5003)))
                .append("note", new BsonString("leave it with the neighbour in the red house, please"));
        return new ChangeEvent(
                new EventId(ClusterTime.of(1_700_000_000, number + 1), number),
                "bench",
                Operation.INSERT,
                "",
                collection(customer),
                DocumentId.of(new BsonInt32(number)),
                RawBson.of(document),
                null,
                1_700_000_000_000L,
                OptionalLong.empty(),
                false);
    }

    private String collection(int customer) {
        return "orders-" + customer % layout.collections;
    }

    private String region(int customer) {
        return "region-" + (layout.skewed && customer % 10 < 9 ? 0 : customer % REGIONS);
    }

    private static String name(int customer) {
        return "customer-" + customer;
    }

    private static long liveHeap() {
        for (int k = 0; k < 3; k++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
