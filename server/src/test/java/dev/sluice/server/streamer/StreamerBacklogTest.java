package dev.sluice.server.streamer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.Group;
import dev.sluice.coordinate.GroupSettings;
import dev.sluice.coordinate.MemberIds;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.DeliveryBatch;
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
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import dev.sluice.rocksdb.RocksDeadLetters;
import dev.sluice.rocksdb.RocksEventLog;
import dev.sluice.rocksdb.RocksSettings;
import dev.sluice.route.Streamer;
import dev.sluice.route.StreamerSettings;
import dev.sluice.run.TurnsOnThreads;
import dev.sluice.stream.ConsumersView;
import dev.sluice.subscribe.GatewayLeases;
import dev.sluice.subscribe.GatewayRegistry;
import dev.sluice.subscribe.Homes;
import dev.sluice.subscribe.InMemorySubscriptions;
import dev.sluice.subscribe.SubscriptionQuotas;
import dev.sluice.subscribe.SubscriptionRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A gateway that hung while many events came catches up from the log: in order, with a flat heap, and without anybody else
 * noticing. The long version, of a million events, is run by {@code mvn verify -Psoak -pl server -am}.
 */
@Isolated("it looks at the heap")
class StreamerBacklogTest {
    private static final int DOCUMENTS = 1_000;
    private static final int AT_ONCE = 1_000;
    private static final long ROOM = 48L << 20;

    @TempDir
    Path folder;

    @Test
    void aGatewayFarBehindCatchesUpInOrderWithAFlatHeapAndTheOthersKeepUp() throws Exception {
        catchUp(50_000);
    }

    @Test
    @Tag("soak")
    void aGatewayAMillionEventsBehindCatchesUpInOrderWithAFlatHeapAndTheOthersKeepUp() throws Exception {
        catchUp(1_000_000);
    }

    private void catchUp(int events) throws Exception {
        var well = new CheckedGateway(false);
        var hung = new CheckedGateway(true);
        try (var log = new RocksEventLog(folder.resolve("log"), "shop", RocksSettings.DEFAULT);
                var letters = new RocksDeadLetters(folder.resolve("letters"));
                var threads = new TurnsOnThreads(4)) {
            var tail = new LiveTail(log.state().head().position(), 10_000, 8 << 20);
            write(log, tail, 0, 1);
            var gateways = new GatewayRegistry(GatewayLeases.DEFAULT, new InMemorySubscriptions(), System::nanoTime);
            var feed = new LocalLogFeed(
                    Map.of("shop", new LogReader(log, tail)), Duration.ofHours(1), new ConsumersView(0));
            var subscriptions = new SubscriptionRegistry(
                    SubscriptionQuotas.DEFAULT,
                    new InMemorySubscriptions(),
                    gateways,
                    System::nanoTime,
                    new Homes(Homes.Unclaimed.WAIT),
                    new FeedHeads(feed),
                    InstantSource.system());
            try (var streamer = new Streamer(
                            StreamerSettings.DEFAULT,
                            feed,
                            subscriptions.view(),
                            address -> address.id().equals("well") ? well : hung,
                            letters,
                            threads,
                            partition -> 1);
                    var group = Group.start(
                            new InMemoryCoordinationStore(),
                            GroupSettings.of("backlog", MemberIds.fixed("only"), 1)
                                    .withStabiliser(StabiliserSettings.IMMEDIATE),
                            streamer)) {
                gateways.listen(streamer);
                await(streamer::isReady);
                for (String id : List.of("well", "hung")) {
                    gateways.register(new GatewayAddress(id, Protocol.HTTP, "http://localhost:1"));
                    subscriptions.register(List.of(Subscription.of("of-" + id, id, "", "orders", "{}")));
                }
                assertThat(group.claims()).hasSize(1);
                write(log, tail, 1, events);
                await(() -> well.count() == events - 1);
                assertThat(hung.count()).as("it has taken nothing so far").isZero();
                long before = heap();
                hung.wakeUp();
                long began = System.nanoTime();
                await(() -> hung.count() > events / 2);
                long during = heap();
                // Somebody else's news does not wait for the backlog.
                write(log, tail, events, events + AT_ONCE);
                await(() -> well.count() == events - 1 + AT_ONCE);
                long behind = events - 1 + AT_ONCE - hung.count();
                await(() -> hung.count() == events - 1 + AT_ONCE);
                System.out.printf(
                        "%,d events behind: caught up in %,d ms; live heap before %,d B, during %,d B, after %,d B;"
                                + " %,d behind when the other had its news%n",
                        events, (System.nanoTime() - began) / 1_000_000, before, during, heap(), behind);
                assertThat(during).as("live heap").isLessThan(before + ROOM);
                assertThat(well.findings() + hung.findings()).as("reordered").isZero();
                assertThat(letters.count()).isZero();
            }
        }
    }

    private static void write(RocksEventLog log, LiveTail tail, int from, int to) {
        for (int start = from; start < to; start += AT_ONCE) {
            List<EventRecord> some = new ArrayList<>();
            for (int n = start; n < Math.min(to, start + AT_ONCE); n++) {
                some.add(EventRecord.of(event(n)));
            }
            tail.publish(log.append(some, null));
        }
    }

    private static ChangeEvent event(int n) {
        var document = new BsonDocument("_id", new BsonString("d" + n % DOCUMENTS))
                .append("words", new BsonString("so that it weighs about as much as an order does ".repeat(3)));
        return new ChangeEvent(
                new EventId(ClusterTime.of(1_000 + n, 1), 1 + n),
                "shop",
                Operation.REPLACE,
                "",
                "orders",
                DocumentId.of(document.getString("_id")),
                RawBson.of(document),
                null,
                1_700_000_000_000L + n,
                OptionalLong.empty(),
                false);
    }

    /** What is alive: the rest is collected first. */
    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static void await(BooleanSupplier reached) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofMinutes(5).toNanos();
        while (!reached.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("time").isNegative();
            Thread.sleep(5);
        }
    }

    /** Takes everything and looks whether documents come in order; hangs until it is woken. */
    private static final class CheckedGateway implements Deliverer {
        private final Map<String, Long> last = new HashMap<>();
        private final List<CompletableFuture<BatchOutcome>> waiting = new ArrayList<>();
        private boolean hangs;
        private int count;
        private int findings;

        CheckedGateway(boolean hangs) {
            this.hangs = hangs;
        }

        synchronized int count() {
            return count;
        }

        synchronized int findings() {
            return findings;
        }

        void wakeUp() {
            List<CompletableFuture<BatchOutcome>> answers;
            synchronized (this) {
                hangs = false;
                answers = List.copyOf(waiting);
            }
            answers.forEach(each -> each.complete(new BatchOutcome.RetryLater("it has just woken up")));
        }

        @Override
        public synchronized CompletionStage<BatchOutcome> deliver(DeliveryBatch batch) {
            var answer = new CompletableFuture<BatchOutcome>();
            if (hangs) {
                waiting.add(answer);
                return answer;
            }
            for (Delivery delivery : batch.deliveries()) {
                ChangeEvent event = delivery.event().event();
                long time = event.clusterTime().t();
                Long before = last.put(event.documentId().text(), time);
                findings += before != null && before >= time ? 1 : 0;
                count++;
            }
            answer.complete(BatchOutcome.DELIVERED);
            return answer;
        }

        @Override
        public void close() {}
    }
}
