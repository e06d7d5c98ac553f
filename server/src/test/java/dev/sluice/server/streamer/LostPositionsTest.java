package dev.sluice.server.streamer;

import static dev.sluice.server.streamer.StreamerSetup.await;
import static dev.sluice.server.streamer.StreamerSetup.gateway;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.ReceivedEvent;
import dev.sluice.model.Subscription;
import dev.sluice.server.node.Node;
import dev.sluice.testkit.servers.EtcdServer;
import dev.sluice.testkit.servers.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Streamer's disk, or a part of it, is lost while others live on. */
@Timeout(120)
class LostPositionsTest {
    @TempDir
    Path data;

    private final Queue<ReceivedEvent> got = new ConcurrentLinkedQueue<>();
    private DevMongo mongo;
    private MongoClient client;
    private MongoCollection<Document> orders;

    @BeforeEach
    void startMongo() throws Exception {
        mongo = DevMongo.builder().version("7.0").start();
        client = MongoClients.create(mongo.connectionString());
        orders = client.getDatabase("shop").getCollection("orders");
    }

    @AfterEach
    void stopMongo() {
        client.close();
        mongo.close();
    }

    private static Subscription all() {
        return Subscription.of("all", "g", "", "orders", "{}");
    }

    private List<String> documents() {
        return got.stream().map(ReceivedEvent::documentId).toList();
    }

    private void insert(String id) {
        orders.insertOne(new Document("_id", id));
    }

    @ParameterizedTest
    @ValueSource(strings = {"etcd", "mongodb"})
    void theMirrorSaysWhereToGoOn(String mirror) throws Exception {
        var servers =
                mirror.equals("etcd") ? ", endpoints: ['" + EtcdServer.shared().url() + "']" : "";
        var setup = new StreamerSetup(data, mongo)
                .routing("num_partitions: 2")
                .sections("reliability: {checkpoint: {interval: 50ms, backend: " + mirror + servers + "}}\n"
                        + "cluster: {prefix: /" + data.getFileName() + "/}\n");
        Path kept;
        try (var node = setup.start();
                var gateway = gateway(node, "g")) {
            kept = setup.config().streamerDirectory().resolve("cluster");
            gateway.subscribe(all(), got::add);
            for (var k = 0; k < 10; k++) {
                insert("before" + k);
            }
            await("delivered", () -> got.size() == 10);
        }
        insert("meanwhile");
        assertThat(kept).isDirectory();
        delete(kept);
        got.clear();
        try (var node = setup.start();
                var gateway = gateway(node, "g")) {
            gateway.subscribe(all(), got::add);
            await("what came while it was away", () -> documents().contains("meanwhile"));
            assertThat(documents())
                    .as("the mirror has what was saved last, so nothing is repeated")
                    .containsExactly("meanwhile");
        }
    }

    @Test
    void withoutAMirrorEverySubscriptionBeginsAgainWhereItWasRegistered() throws Exception {
        var setup = new StreamerSetup(data, mongo).routing("num_partitions: 2");
        Path kept;
        try (var node = setup.start();
                var gateway = gateway(node, "g")) {
            kept = setup.config().streamerDirectory().resolve("cluster");
            gateway.subscribe(all(), got::add);
            insert("before");
            await("delivered", () -> got.size() == 1);
        }
        insert("missed");
        delete(kept);
        got.clear();
        try (var node = setup.start();
                var gateway = gateway(node, "g")) {
            gateway.subscribe(all(), got::add);
            await("what was missed", () -> documents().contains("missed"));
            insert("after");
            await("goes on", () -> documents().contains("after"));
            assertThat(documents()).containsExactlyInAnyOrder("before", "missed", "after");
            assertThat(got)
                    .as("what may have been delivered before is marked")
                    .filteredOn(event -> event.documentId().equals("before"))
                    .allMatch(ReceivedEvent::redelivery);
            assertThat(node.streamer().streamer().counters().resyncs()).isZero();
        }
    }

    /** Its tokens would be refused as old otherwise, or its numbers taken for repeats. */
    @Test
    void aGatewayThatOutlivesAllTheStreamerKeptIsServedAgain() throws Exception {
        var setup = new StreamerSetup(data, mongo, FreePorts.take()).sections("gateway: {address: ':0', lease: 1s}\n");
        Gateway gateway;
        try (var node = setup.start()) {
            gateway = gateway(node, "g");
            gateway.subscribe(all(), got::add);
            for (var k = 1; k <= 5; k++) {
                var sent = k;
                insert("before" + k);
                await("delivered, so that it goes on near here", () -> got.size() == sent);
            }
        }
        delete(setup.config().streamerDirectory());
        try (gateway;
                var node = setup.start()) {
            await("it has registered again", () -> subscriptions(node) == 1);
            // The subscription is listed a moment before it begins: the first of these may come before that.
            var inserted = new AtomicInteger();
            await("delivered", () -> {
                insert("after" + inserted.incrementAndGet());
                return documents().stream().anyMatch(id -> id.startsWith("after"));
            });
            assertThat(documents()).doesNotHaveDuplicates();
        }
    }

    private static int subscriptions(Node node) {
        return node.streamer().subscriptions().size();
    }

    private static void delete(Path directory) throws IOException {
        try (var all = Files.walk(directory)) {
            for (var each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
