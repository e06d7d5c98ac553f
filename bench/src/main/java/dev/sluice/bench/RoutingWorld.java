package dev.sluice.bench;

import dev.sluice.coordinate.Group;
import dev.sluice.coordinate.GroupSettings;
import dev.sluice.coordinate.MemberIds;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.deliver.Deliverers;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.log.EventRecord;
import dev.sluice.log.LiveTail;
import dev.sluice.log.LogReader;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.Places;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import dev.sluice.rocksdb.RocksDeadLetters;
import dev.sluice.rocksdb.RocksEventLog;
import dev.sluice.rocksdb.RocksSettings;
import dev.sluice.route.Streamer;
import dev.sluice.route.StreamerSettings;
import dev.sluice.run.TurnsOnThreads;
import dev.sluice.subscribe.GatewayLeases;
import dev.sluice.subscribe.GatewayRegistry;
import dev.sluice.subscribe.Homes;
import dev.sluice.subscribe.InMemorySubscriptions;
import dev.sluice.subscribe.SubscriptionQuotas;
import dev.sluice.subscribe.SubscriptionRegistry;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/**
 * A Streamer of one partition in this process, on an event log on disk, with the production classes of registry, group and
 * lanes; only the gateways are the benchmark's. Event n changes document n modulo {@link #DOCUMENTS}, and its cluster time
 * tells n.
 */
final class RoutingWorld implements AutoCloseable {
    static final int DOCUMENTS = 2_000;
    static final String COLLECTION = "orders";

    private static final int AT_ONCE = 1_000;
    private static final long FIRST_SECOND = 1_700_000_000;
    private static final long PATIENCE_NANOS = 400_000_000_000L;

    private final ScratchDirectory directory = new ScratchDirectory();
    private final RocksEventLog log;
    private final RocksDeadLetters letters;
    private final LiveTail tail;
    private final TurnsOnThreads threads = new TurnsOnThreads(4);
    private final GatewayRegistry gateways;
    private final SubscriptionRegistry subscriptions;
    private final Group group;
    final BenchFeed feed;
    final Streamer streamer;
    private int written;

    RoutingWorld(Deliverers deliverers) throws Exception {
        log = new RocksEventLog(directory.path().resolve("log"), BenchFeed.LOG, RocksSettings.DEFAULT);
        letters = new RocksDeadLetters(directory.path().resolve("letters"));
        tail = new LiveTail(log.state().head().position(), 10_000, 8 << 20);
        write(1);
        feed = new BenchFeed(new LogReader(log, tail));
        gateways = new GatewayRegistry(GatewayLeases.DEFAULT, new InMemorySubscriptions(), System::nanoTime);
        subscriptions = new SubscriptionRegistry(
                new SubscriptionQuotas(1_000_000, 1_000_000, 1_000_000),
                new InMemorySubscriptions(),
                gateways,
                System::nanoTime,
                new Homes(Homes.Unclaimed.WAIT),
                this::heads,
                InstantSource.system());
        streamer = new Streamer(
                StreamerSettings.DEFAULT, feed, subscriptions.view(), deliverers, letters, threads, partition -> 1);
        group = Group.start(
                new InMemoryCoordinationStore(),
                GroupSettings.of("bench", MemberIds.fixed("only"), 1).withStabiliser(StabiliserSettings.IMMEDIATE),
                streamer);
        gateways.listen(streamer);
        await("the partition's claim", () -> !group.claims().isEmpty() && streamer.isReady());
    }

    private Places heads() {
        var state = log.state();
        TreeMap<String, Places.Place> heads = new TreeMap<>();
        heads.put(BenchFeed.LOG, new Places.Place(state.identity(), state.head().toPosition()));
        return new Places(heads);
    }

    static GatewayAddress address(String id) {
        return new GatewayAddress(id, Protocol.HTTP, "http://localhost:1");
    }

    void gateway(String id) {
        gateways.register(address(id));
    }

    void subscribe(List<Subscription> some) {
        subscriptions.register(some);
    }

    /** Appends so many events, synced in portions as the Puller does. */
    void write(int events) {
        int end = written + events;
        while (written < end) {
            List<EventRecord> some = new ArrayList<>();
            for (int n = written; n < Math.min(end, written + AT_ONCE); n++) {
                some.add(EventRecord.of(event(n)));
            }
            tail.publish(log.append(some, null));
            written += some.size();
        }
    }

    /** The number of an event of {@link #write}, from 0. */
    static int number(ChangeEvent event) {
        return (int) ((event.clusterTime().t() - FIRST_SECOND) * AT_ONCE
                + event.clusterTime().i()
                - 1);
    }

    private static ChangeEvent event(int n) {
        int document = n % DOCUMENTS;
        var body = new BsonDocument("_id", new BsonInt32(document))
                .append("customer", new BsonInt32(document))
                .append("words", new BsonString("so that it weighs about as much as an order does ".repeat(3)));
        return new ChangeEvent(
                new EventId(ClusterTime.of(FIRST_SECOND + n / AT_ONCE, 1 + n % AT_ONCE), 1 + n),
                BenchFeed.LOG,
                Operation.REPLACE,
                "",
                COLLECTION,
                DocumentId.of(body.getInt32("_id")),
                RawBson.of(body),
                null,
                System.currentTimeMillis(),
                OptionalLong.empty(),
                false);
    }

    /** @throws IllegalStateException when it has not come true after 400 seconds */
    static void await(String what, BooleanSupplier reached) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("waited too long for " + what);
            }
            Thread.sleep(2);
        }
    }

    @Override
    public void close() throws IOException {
        streamer.close();
        group.close();
        threads.close();
        letters.close();
        log.close();
        directory.close();
    }
}
