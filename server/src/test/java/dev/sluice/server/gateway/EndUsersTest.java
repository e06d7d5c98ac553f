package dev.sluice.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.web.GatewayServer;
import dev.sluice.gateway.web.WebLimits;
import dev.sluice.gateway.web.WebOptions;
import dev.sluice.net.ListenAddress;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import dev.sluice.testkit.servers.FreePorts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What end users are promised, over the whole way: MongoDB, Puller, Streamer, gateway, and their connections. */
@Timeout(120)
class EndUsersTest {
    private static final WebLimits QUICK = new WebLimits(100, 100, 10, 4096, 1000, 1 << 20, Duration.ofMillis(200));

    @TempDir
    Path data;

    private final int control = FreePorts.take();
    private final HttpClient http = HttpClient.newHttpClient();
    private DevMongo mongo;
    private MongoClient client;
    private Node node;
    private GatewayServer gateway;

    @BeforeEach
    void start() throws Exception {
        mongo = DevMongo.builder().start();
        client = MongoClients.create(mongo.connectionString());
        node = pullerAndStreamer();
        gateway = gateway();
    }

    @AfterEach
    void stop() {
        http.shutdownNow();
        gateway.close();
        node.close();
        client.close();
        mongo.close();
    }

    private Node pullerAndStreamer() throws Exception {
        var yaml = """
                storage: {backends: [{name: shop, connection: '%s', database: shop}]}
                puller:
                  grpc: {address: ':0'}
                  health: {port: 0}
                  metrics: {port: 0}
                  backends: [{name: shop}]
                  buffer: {path: '%s', min_free: 1MiB}
                routing: {grpc: {address: ':%d'}}
                gateway: {lease: 6s}
                """.formatted(mongo.connectionString(), data.resolve("events"), control);
        var config = ((Reading.Accepted) ConfigFile.parse(yaml, Map.of())).config();
        var started = Node.start(config, EnumSet.of(Role.PULLER, Role.STREAMER), "test");
        await(() -> !started.streamer().streamer().head().isEmpty());
        return started;
    }

    private GatewayServer gateway() {
        return GatewayServer.start(
                Gateway.builder("web").streamer("127.0.0.1:" + control),
                WebOptions.DEFAULT.at(ListenAddress.loopback(0)).within(QUICK));
    }

    private static void await(BooleanSupplier reached) throws InterruptedException {
        for (var k = 0; !reached.getAsBoolean(); k++) {
            assertThat(k).as("tries within 30 s").isLessThan(1500);
            Thread.sleep(20);
        }
    }

    private MongoCollection<Document> orders() {
        return client.getDatabase("shop").getCollection("orders");
    }

    private void insert(int from, int to) {
        for (var n = from; n <= to; n++) {
            var color = n % 2 == 0 ? "red" : "blue";
            orders().insertOne(new Document("_id", "o" + n).append("total", n).append("color", color));
        }
    }

    /** A client's connection, and the resume id of the last message that the client received. */
    private abstract static class EndUser {
        final LinkedBlockingQueue<BsonDocument> changes = new LinkedBlockingQueue<>();
        volatile String lastId;

        EndUser(String lastId) {
            this.lastId = lastId;
        }

        abstract void leave() throws IOException;

        /** Type and document of what comes, each once, until this one has. */
        List<String> until(String last) throws InterruptedException {
            List<String> seen = new ArrayList<>();
            while (!seen.contains(last)) {
                var change = changes.poll(30, TimeUnit.SECONDS);
                assertThat(change).as("after %s", seen).isNotNull();
                var line = change.getString("type").getValue() + " "
                        + change.getString("documentId").getValue();
                if (!seen.contains(line)) {
                    seen.add(line);
                }
            }
            return seen;
        }
    }

    /** A browser's EventSource. */
    private final class SseUser extends EndUser {
        private final InputStream body;

        SseUser(String filter, String lastId) throws IOException, InterruptedException {
            super(lastId);
            var query = "collection=orders&filter=" + URLEncoder.encode(filter, StandardCharsets.UTF_8);
            var request =
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + "/v1/events?" + query));
            if (!lastId.isEmpty()) {
                request.header("Last-Event-ID", lastId);
            }
            var response = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(response.statusCode()).isEqualTo(200);
            body = response.body();
            Thread.ofVirtual().start(this::read);
        }

        private void read() {
            try (var lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
                for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.startsWith("id: ")) {
                        lastId = line.substring(4);
                    } else if (line.startsWith("data: ")) {
                        changes.add(BsonDocument.parse(line.substring(6)));
                    }
                }
            } catch (IOException left) {
                // One of both has.
            }
        }

        @Override
        void leave() throws IOException {
            body.close();
        }
    }

    /** A WebSocket that speaks version 1. */
    private final class SocketUser extends EndUser implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();
        private final WebSocket socket;

        SocketUser(String filter, String lastId) throws InterruptedException {
            super(lastId);
            // Before, a subscription is answered by an error that says to come again.
            await(gateway::isRegistered);
            var address = URI.create("ws://127.0.0.1:" + gateway.port() + "/v1/subscribe");
            socket = http.newWebSocketBuilder().buildAsync(address, this).join();
            var request = new Document("op", "subscribe")
                    .append("id", "mine")
                    .append("collection", "orders")
                    .append("filter", filter)
                    .append("lastEventId", lastId);
            socket.sendText(request.toJson(), true).join();
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                var message = BsonDocument.parse(text.toString());
                text.setLength(0);
                if (message.containsKey("event")) {
                    changes.add(message.getDocument("event"));
                }
                lastId = message.getString("progress", new BsonString(lastId)).getValue();
            }
            from.request(1);
            return null;
        }

        @Override
        void leave() {
            socket.abort();
        }
    }

    private EndUser connect(String filter, String lastId) throws Exception {
        return subscribed(new SseUser(filter, lastId));
    }

    private static EndUser subscribed(EndUser user) throws InterruptedException {
        await(() -> !user.lastId.isEmpty());
        return user;
    }

    @Test
    void whoWasAwayMissesNothingAlsoWhenTheGatewayWasRestartedMeanwhile() throws Exception {
        var user = connect("{\"total\": {\"$gte\": 3}}", "");
        insert(1, 5);
        assertThat(user.until("insert o5")).containsExactly("insert o3", "insert o4", "insert o5");
        user.leave();
        insert(6, 8);
        gateway.close();
        insert(9, 10);
        gateway = gateway();
        insert(11, 12);
        var back = connect("{\"total\": {\"$gte\": 3}}", user.lastId);
        insert(13, 13);
        assertThat(back.until("insert o13"))
                .containsSubsequence("insert o6", "insert o7", "insert o8", "insert o9", "insert o10", "insert o11")
                .endsWith("insert o12", "insert o13");
    }

    @Test
    void aWebSocketThatWasCutResumesAndMissesNothingEither() throws Exception {
        var user = subscribed(new SocketUser("{\"total\": {\"$gte\": 3}}", ""));
        insert(1, 5);
        assertThat(user.until("insert o5")).containsExactly("insert o3", "insert o4", "insert o5");
        user.leave();
        insert(6, 8);
        gateway.close();
        insert(9, 9);
        gateway = gateway();
        var back = subscribed(new SocketUser("{\"total\": {\"$gte\": 3}}", user.lastId));
        insert(10, 10);
        assertThat(back.until("insert o10"))
                .containsSubsequence("insert o6", "insert o7", "insert o8")
                .endsWith("insert o9", "insert o10");
    }

    @Test
    void anEndUserStaysConnectedWhileTheStreamerIsRestartedAndMissesNothing() throws Exception {
        var user = connect("{}", "");
        insert(1, 3);
        user.until("insert o3");
        node.close();
        insert(4, 6);
        node = pullerAndStreamer();
        insert(7, 9);
        assertThat(user.until("insert o9"))
                .containsSubsequence("insert o4", "insert o5", "insert o6", "insert o7", "insert o8", "insert o9");
    }

    @Test
    void theIdOfAnIdleEndUserMovesWithTheChangesThatDoNotConcernIt() throws Exception {
        var user = connect("{\"total\": {\"$gte\": 1000}}", "");
        var before = user.lastId;
        insert(1, 20);
        await(() -> !user.lastId.equals(before));
        assertThat(user.changes).isEmpty();
    }

    /** Without pre-images a delete says nothing of the document: everybody who may have it is told, through one delivery. */
    @Test
    void aDeleteReachesEveryEndUserWhoMayHaveTheDocument() throws Exception {
        var red = connect("{\"color\": \"red\"}", "");
        var blue = connect("{\"color\": \"blue\"}", "");
        var all = connect("{}", "");
        insert(1, 2);
        orders().deleteOne(new Document("_id", "o2"));
        assertThat(red.until("delete o2")).containsExactly("insert o2", "delete o2");
        assertThat(blue.until("delete o2")).containsExactly("insert o1", "delete o2");
        assertThat(all.until("delete o2")).containsExactly("insert o1", "insert o2", "delete o2");
    }
}
