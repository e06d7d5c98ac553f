package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.await;
import static dev.sluice.server.puller.PullerSetup.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import dev.sluice.client.ConsumerOptions;
import dev.sluice.client.EventConsumer;
import dev.sluice.client.MemoryMarkerStore;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.ProgressMarker;
import dev.sluice.server.node.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.Document;
import org.bson.types.Binary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The names operators build dashboards on, and that every value moves when its thing happens. */
class PullerMetricsTest {
    private static final String[] NAMES = {
        "sluice_puller_backend_healthy",
        "sluice_puller_backpressure_events_total",
        "sluice_puller_batch_size",
        "sluice_puller_checkpoint_errors_total",
        "sluice_puller_checkpoint_latency_seconds",
        "sluice_puller_checkpoints_saved_total",
        "sluice_puller_connection_failures_total",
        "sluice_puller_consumer_max_events_behind",
        "sluice_puller_consumers",
        "sluice_puller_duplicates_dropped_total",
        "sluice_puller_events_evicted_early_total",
        "sluice_puller_events_evicted_total",
        "sluice_puller_events_ingested_total",
        "sluice_puller_events_published_total",
        "sluice_puller_events_rescanned_total",
        "sluice_puller_gaps_detected_total",
        "sluice_puller_head_lag_seconds",
        "sluice_puller_ingestion_latency_seconds",
        "sluice_puller_log_events",
        "sluice_puller_log_size_bytes",
        "sluice_puller_publish_errors_total",
        "sluice_puller_publish_latency_seconds",
        "sluice_puller_queue_size",
        "sluice_puller_reconnects_total",
        "sluice_puller_reply_wait_seconds",
        "sluice_puller_stalls_total"
    };

    @TempDir
    Path data;

    @Test
    void theNamesArePinned() throws Exception {
        try (var mongo = DevMongo.builder().start();
                var role = new PullerSetup(data).backend("shop", mongo).start()) {
            var names = Arrays.stream(role.scrape().split("\n"))
                    .filter(line -> line.startsWith("# TYPE "))
                    .map(line -> line.split(" ")[2])
                    .filter(name -> !name.endsWith("_max"))
                    .sorted();
            assertThat(names).containsExactly(NAMES);
            assertThat(get(role.http().metricsPort(), "/metrics").headers().firstValue("content-type"))
                    .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
        }
    }

    @Test
    void eachValueMovesWhenItsThingHappens() throws Exception {
        try (var mongo = DevMongo.builder().start();
                var client = MongoClients.create(mongo.connectionString());
                var role = new PullerSetup(data)
                        .backend("shop", mongo)
                        .puller("checkpoint: {backend: mongodb, interval: 50ms}\n"
                                + "cleaner: {interval: 100ms}\n"
                                + "buffer: {path: 'DATA', min_free: 1MiB, max_size: 4MiB}\n")
                        .sections("reliability: {gap_detection: {max_gap: 2s}, circuit_breaker: {timeout: 300ms}}\n")
                        .start()) {
            var orders = client.getDatabase("shop").getCollection("orders");
            await("capture runs", () -> value(role, "backend_healthy") == 1);
            flows(role, orders);
            theConnectionIsLost(role, mongo);
            aReplyTakesLong(role, mongo);
            theMirrorIsAway(role, mongo, orders);
            historyIsLost(role, mongo);
            aConsumerStands(role, orders);
            aConsumerComesTooLate(role);
            mongo.script().holdCommitted(mongo.script().newest());
            await("quiet for max_gap is a stall", () -> value(role, "stalls_total") > 0);
        }
    }

    private static void flows(Node role, MongoCollection<Document> orders) throws InterruptedException {
        var got = new AtomicInteger();
        try (var consumer = EventConsumer.options()
                .address("127.0.0.1:" + role.puller().port())
                .start(ConsumerOptions.Start.OLDEST)
                .start(event -> got.incrementAndGet())) {
            for (var i = 0; i < 10; i++) {
                orders.insertOne(new Document("n", i));
            }
            await("delivered", () -> got.get() >= 10);
            assertThat(value(role, "consumers")).isEqualTo(1);
            assertThat(consumer.marker()).isNotEmpty();
        }
        // What is sent is counted behind it, without the heartbeats that the client asks for.
        await("counted", () -> value(role, "events_published_total") == 10);
        await("measured", () -> value(role, "batch_size_sum") == 10);
        await("measured", () -> value(role, "publish_latency_seconds_count") > 0);
        assertThat(value(role, "events_ingested_total")).isEqualTo(10);
        assertThat(value(role, "ingestion_latency_seconds_count")).isPositive();
        assertThat(value(role, "log_events")).isEqualTo(10);
        assertThat(value(role, "log_size_bytes")).isPositive();
        await("saved", () -> value(role, "checkpoints_saved_total") > 0);
        await("measured, in the log and in the mirror", () -> value(role, "checkpoint_latency_seconds_count") >= 2);
    }

    private static void theConnectionIsLost(Node role, DevMongo mongo) throws InterruptedException {
        mongo.script().closeOnNext(1, "getMore");
        await("counted", () -> value(role, "connection_failures_total") > 0);
        await("opened again", () -> value(role, "reconnects_total") > 0);
    }

    private static void aReplyTakesLong(Node role, DevMongo mongo) throws InterruptedException {
        mongo.script().slowScan(Duration.ofMillis(20));
        mongo.script().preload("elsewhere", "x", 100, 10);
        await("shown while it is awaited", () -> value(role, "reply_wait_seconds") > 0);
        mongo.script().slowScan(Duration.ZERO);
        await("over", () -> value(role, "reply_wait_seconds") == 0);
    }

    @Test
    void eventsReadAgainAfterAChangeOfTheFilterAreCounted() throws Exception {
        try (var mongo = DevMongo.builder().start();
                var client = MongoClients.create(mongo.connectionString())) {
            try (var role = new PullerSetup(data).backend("shop", mongo).start()) {
                await("capture runs", () -> value(role, "backend_healthy") == 1);
                client.getDatabase("shop").getCollection("orders").insertOne(new Document("n", 1));
                await("captured", () -> value(role, "log_events") == 1);
            }
            mongo.script().failNext(1, "aggregate", 280);
            try (var role = new PullerSetup(data)
                    .backend("shop", mongo)
                    .backendOptions("exclude_collections: [audit]")
                    .start()) {
                await("read again", () -> value(role, "events_rescanned_total") > 0);
                await("and dropped", () -> value(role, "duplicates_dropped_total") > 0);
                assertThat(value(role, "gaps_detected_total")).isZero();
            }
        }
    }

    private static void theMirrorIsAway(Node role, DevMongo mongo, MongoCollection<Document> orders)
            throws InterruptedException {
        mongo.script().failNext(3, "update", 11600);
        orders.insertOne(new Document("n", 11));
        await("counted", () -> value(role, "checkpoint_errors_total") > 0);
        mongo.script().failNothing();
    }

    private static void historyIsLost(Node role, DevMongo mongo) throws InterruptedException {
        mongo.script().rollOplogOver();
        await("a gap", () -> value(role, "gaps_detected_total") > 0);
    }

    /** It takes nothing for a while: it becomes slow, and retention by size goes on behind it. */
    private static void aConsumerStands(Node role, MongoCollection<Document> orders) throws InterruptedException {
        var go = new CountDownLatch(1);
        try (var consumer = EventConsumer.options()
                .address("127.0.0.1:" + role.puller().port())
                .start(ConsumerOptions.Start.OLDEST)
                .start(event -> go.await())) {
            for (var i = 0; i < 200; i++) {
                orders.insertOne(new Document("big", new Binary(new byte[200_000])));
            }
            await("slow", () -> value(role, "backpressure_events_total") > 0);
            await("behind", () -> value(role, "consumer_max_events_behind") > 0);
            await("the oldest leave early", () -> value(role, "events_evicted_early_total") > 0);
            assertThat(value(role, "events_evicted_total")).isPositive();
            go.countDown();
            assertThat(consumer).isNotNull();
        }
    }

    private static void aConsumerComesTooLate(Node role) throws InterruptedException {
        var errors = value(role, "publish_errors_total");
        var markers = new MemoryMarkerStore();
        markers.save(new ProgressMarker(Map.of("shop", new EventId(ClusterTime.of(1, 0), 0))).encode());
        try (var consumer = EventConsumer.options()
                .address("127.0.0.1:" + role.puller().port())
                .markers(markers)
                .start(event -> {})) {
            await("told so", () -> value(role, "publish_errors_total") > errors);
            assertThat(consumer).isNotNull();
        }
    }

    /** The sum over all labels. */
    private static double value(Node role, String name) {
        return Arrays.stream(role.scrape().split("\n"))
                .filter(line -> line.startsWith("sluice_puller_" + name + "{")
                        || line.startsWith("sluice_puller_" + name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }
}
