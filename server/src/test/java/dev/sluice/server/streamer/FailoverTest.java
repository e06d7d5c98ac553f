package dev.sluice.server.streamer;

import static dev.sluice.server.streamer.StreamerSetup.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.gateway.Gateway;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import dev.sluice.server.node.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Row 27 end to end: the Streamer, and gateways made of the library, over real sockets. */
@Timeout(120)
class FailoverTest {
    @TempDir
    Path data;

    /** Of the second gateway, in order: definitions it adopted, and documents. */
    private final Queue<Object> second = new ConcurrentLinkedQueue<>();

    private final Queue<String> first = new ConcurrentLinkedQueue<>();
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

    /** Returns it when it is registered: a subscription of a gateway that is unknown goes to another one meanwhile. */
    private Gateway startFirst(Node node) throws InterruptedException {
        Gateway gateway = StreamerSetup.gateway(node, "first");
        await("registered", gateway::isRegistered);
        return gateway;
    }

    private Gateway startSecond(Node node) {
        return Gateway.builder("second")
                .streamer("127.0.0.1:" + node.streamer().port())
                .adoptBy(told -> {
                    second.add(told);
                    return event -> second.add(event.documentId());
                })
                .start();
    }

    private void order(String id) {
        orders.insertOne(new Document("_id", id).append("status", "open"));
    }

    private static Subscription subscription() {
        return new Subscription(
                "open-orders",
                "first",
                "",
                "orders",
                Optional.empty(),
                "{\"status\": \"open\"}",
                Priority.HIGH,
                Duration.ofSeconds(600),
                Optional.empty(),
                true,
                false);
    }

    @Test
    void whenItsGatewayDiesAnotherIsToldTheSubscriptionAndThenItsEventsFromWhereItWas() throws Exception {
        try (Node node = new StreamerSetup(data, mongo)
                .routing("mode: consistent_hash")
                .sections("gateway: {address: ':0', lease: 2s, grace: 1s}\n")
                .start()) {
            await("owned", () -> !node.streamer().streamer().head().isEmpty());
            Gateway survivor = startSecond(node);
            try (Gateway dying = startFirst(node)) {
                dying.subscribe(subscription(), event -> first.add(event.documentId()));
                order("a");
                await(
                        "it has acknowledged the first",
                        () -> node.streamer().streamer().counters().delivered() == 1);
            }
            order("b");
            order("c");
            await("the other has the rest", () -> second.contains("c"));
            assertThat(second.peek()).isEqualTo(subscription());
            assertThat(second).containsSubsequence("b", "c").doesNotContain("a");
            assertThat(first).containsExactly("a");
            survivor.close();
            second.clear();
            try (Gateway again = startSecond(node)) {
                order("d");
                await("told again after its restart", () -> second.contains("d"));
                assertThat(second.peek()).isEqualTo(subscription());
                try (Gateway back = startFirst(node)) {
                    back.subscribe(subscription(), event -> first.add(event.documentId()));
                    order("e");
                    await("its own gateway is back", () -> first.contains("e"));
                }
            }
        }
    }
}
