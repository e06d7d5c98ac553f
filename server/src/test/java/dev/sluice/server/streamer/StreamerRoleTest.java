package dev.sluice.server.streamer;

import static dev.sluice.server.streamer.StreamerSetup.await;
import static dev.sluice.server.streamer.StreamerSetup.gateway;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.gateway.ReceivedEvent;
import dev.sluice.grpc.streamer.v1.RegisterGatewayRequest;
import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc;
import dev.sluice.model.Subscription;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class StreamerRoleTest {
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

    private static Subscription open(String gateway) {
        return Subscription.of("open-orders", gateway, "", "orders", "{\"status\": \"open\"}");
    }

    private List<String> documents() {
        return got.stream().map(ReceivedEvent::documentId).toList();
    }

    private static void ready(Node node) throws InterruptedException {
        await(
                "capture runs",
                () -> node.puller().backends().getFirst().capture().status().isHealthy());
        await("the partition is owned", () -> !node.streamer().streamer().head().isEmpty());
    }

    @Test
    void aChangeReachesTheGatewayThatAskedForItAndNoOther() throws Exception {
        try (var node = new StreamerSetup(data, mongo).start();
                var asked = gateway(node, "asked");
                var other = gateway(node, "other")) {
            ready(node);
            asked.subscribe(open("asked"), got::add);
            other.subscribe(
                    Subscription.of("closed", "other", "", "orders", "{\"status\": \"closed\"}"),
                    event -> got.add(event));
            orders.insertOne(new Document("_id", "a").append("status", "open"));
            orders.insertOne(new Document("_id", "b").append("status", "elsewhere"));
            orders.insertOne(new Document("_id", "c").append("status", "open"));
            await("both open ones", () -> got.size() == 2);
            assertThat(documents()).containsExactly("a", "c");
            assertThat(got)
                    .allSatisfy(event -> assertThat(event.subscriptionId()).isEqualTo("open-orders"));
        }
    }

    /** A partition begins with its first read; whoever registered before would wait for nothing. */
    @Test
    void whoRegistersAsSoonAsItHasStartedMissesNothing() throws Exception {
        try (var node = new StreamerSetup(data, mongo)
                        .routing("num_partitions: 3")
                        .start();
                var gateway = gateway(node, "g")) {
            gateway.subscribe(open("g"), got::add);
            for (var k = 0; k < 20; k++) {
                orders.insertOne(new Document("_id", "first" + k).append("status", "open"));
            }
            await(
                    "all twenty",
                    () -> got.stream().map(ReceivedEvent::documentId).distinct().count() == 20);
        }
    }

    @Test
    void whatHappensWhileItIsStoppedComesAfterTheRestart() throws Exception {
        var setup = new StreamerSetup(data, mongo);
        try (var node = setup.start();
                var gateway = gateway(node, "g")) {
            ready(node);
            gateway.subscribe(open("g"), got::add);
            orders.insertOne(new Document("_id", "before").append("status", "open"));
            await("delivered", () -> got.size() == 1);
        }
        orders.insertOne(new Document("_id", "meanwhile").append("status", "open"));
        try (var node = setup.start();
                var gateway = gateway(node, "g")) {
            assertThat(node.streamer().subscriptions().find("open-orders")).isPresent();
            gateway.subscribe(open("g"), got::add);
            await("delivered after the restart", () -> documents().contains("meanwhile"));
        }
    }

    @Test
    void aStreamerAloneReadsAPullerElsewhere() throws Exception {
        try (var puller = new StreamerSetup(data.resolve("p"), mongo).start(Role.PULLER);
                var streamer = new StreamerSetup(data.resolve("s"), mongo)
                        .routing("pullers: ['127.0.0.1:" + puller.puller().port() + "']")
                        .start(Role.STREAMER);
                var gateway = gateway(streamer, "g")) {
            await("owned", () -> !streamer.streamer().streamer().head().isEmpty());
            gateway.subscribe(open("g"), got::add);
            orders.insertOne(new Document("_id", "far").append("status", "open"));
            await("delivered", () -> documents().contains("far"));
            assertThat(puller.puller().consumers().list()).isNotEmpty();
        }
    }

    @Test
    void healthAndAdminTellOfPartitionsGatewaysAndLanes() throws Exception {
        try (var node = new StreamerSetup(data, mongo)
                        .routing("num_partitions: 3")
                        .start();
                var gateway = gateway(node, "g")) {
            ready(node);
            gateway.subscribe(open("g"), got::add);
            var admin = new AdminPort(node.http().adminPort());
            await(
                    "three partitions",
                    () -> admin.json("/health").getArray("partitions").size() == 3);
            var partition = admin.json("/health").getArray("partitions").get(0).asDocument();
            assertThat(partition.keySet()).contains("id", "status", "lagSeconds", "eventRate", "lastEvent");
            await(
                    "healthy",
                    () -> admin.json("/health").getString("status").getValue().equals("healthy"));
            assertThat(admin.get("/livez").statusCode()).isEqualTo(200);
            assertThat(admin.get("/readyz").statusCode()).isEqualTo(200);
            assertThat(admin.json("/admin/v1/partitions").getNumber("count").intValue())
                    .isEqualTo(3);
            await("the gateway", () -> admin.get("/admin/v1/gateways").body().contains("\"id\": \"g\""));
            assertThat(admin.json("/admin/v1/gateways")
                            .getArray("gateways")
                            .get(0)
                            .asDocument())
                    .containsKeys("id", "protocol", "endpoint", "status", "secondsLeft", "subscriptions", "progress");
            assertThat(admin.get("/admin/v1/lanes").body()).contains("\"lanes\"");
            assertThat(admin.get("/admin/v1/subscriptions").body()).contains("open-orders");
            assertThat(admin.get("/admin/v1/cluster").body()).contains("sluice/streamer");
            assertThat(admin.get("/admin/v1/audit").body()).contains("claim");
            assertThat(admin.json("/admin/v1/status"))
                    .containsKeys("role", "backends", "partitions", "lanes", "gateways", "cluster");
        }
    }

    /** Row 36: gateways refuse older generations, and no change is lost while the partitions are counted anew. */
    @Test
    void theNumberOfPartitionsChangesWithoutLoss() throws Exception {
        try (var node = new StreamerSetup(data, mongo).start();
                var gateway = gateway(node, "g")) {
            ready(node);
            gateway.subscribe(open("g"), got::add);
            var admin = new AdminPort(node.http().adminPort());
            for (var k = 0; k < 50; k++) {
                orders.insertOne(new Document("_id", "d" + k).append("status", "open"));
                if (k == 25) {
                    assertThat(admin.send("PUT", "/admin/v1/partitions", "{\"partitions\": 4}")
                                    .statusCode())
                            .isEqualTo(200);
                }
            }
            await(
                    "four partitions",
                    () -> admin.json("/health").getArray("partitions").size() == 4);
            orders.insertOne(new Document("_id", "last").append("status", "open"));
            await("all", () -> documents().stream().distinct().count() == 51);
            assertThat(admin.send("PUT", "/admin/v1/partitions", "{\"partitions\": 2}")
                            .statusCode())
                    .isEqualTo(200);
            orders.insertOne(new Document("_id", "after").append("status", "open"));
            await(
                    "two partitions",
                    () -> admin.json("/health").getArray("partitions").size() == 2);
            await("again all", () -> documents().stream().distinct().count() == 52);
            for (var bad : List.of("", "{}", "[]", "{\"partitions\": 0}", "{\"partitions\": 257}")) {
                var refused = admin.send("PUT", "/admin/v1/partitions", bad);
                assertThat(refused.statusCode()).as(bad).isEqualTo(400);
                assertThat(BsonDocument.parse(refused.body())).containsKey("error");
            }
        }
    }

    /** Over both faces; what was registered before stays. */
    @Test
    void anAddressThatNothingCanBeDeliveredToIsRefusedWhenItIsRegistered() throws Exception {
        try (var node = new StreamerSetup(data, mongo).start(Role.PULLER, Role.STREAMER);
                var channel = new Called(node.streamer().port())) {
            var admin = new AdminPort(node.http().adminPort());
            assertThat(admin.send("PUT", "/internal/v1/gateways/g", json("http", "http://127.0.0.1:1"))
                            .statusCode())
                    .isEqualTo(200);
            for (var bad : List.of(
                    new Bad("g", "http", "foo", "http://host:port"),
                    new Bad("g", "grpc", "http://127.0.0.1", "host:port"),
                    new Bad("g", "nats", "http://127.0.0.1:4222", "nats://host:port"),
                    new Bad("a.b", "nats", "nats://127.0.0.1:4222", "no spaces, dots"),
                    new Bad("g", "kafka", "127.0.0.1:9092", "host:port/changes.{tenant}.{collection}"),
                    new Bad("g", "kafka", "127.0.0.1:99999/t", "host:port/changes.{tenant}.{collection}"))) {
                var http = admin.send("PUT", "/internal/v1/gateways/" + bad.id, json(bad.protocol, bad.endpoint));
                assertThat(http.statusCode()).as(bad.toString()).isEqualTo(400);
                assertThat(http.body()).contains(bad.says);
                var grpc = channel.refusal(bad.id, bad.protocol, bad.endpoint);
                assertThat(grpc.getCode()).as(bad.toString()).isEqualTo(Status.Code.INVALID_ARGUMENT);
                assertThat(grpc.getDescription()).contains(bad.says);
            }
            assertThat(node.streamer().gateways().list())
                    .extracting(gateway -> gateway.address().endpoint())
                    .containsExactly("http://127.0.0.1:1");
        }
    }

    private record Bad(String id, String protocol, String endpoint, String says) {}

    private static String json(String protocol, String endpoint) {
        return new Document("protocol", protocol).append("endpoint", endpoint).toJson();
    }

    /** The gRPC face. */
    private record Called(ManagedChannel channel) implements AutoCloseable {
        Called(int port) {
            this(Grpc.newChannelBuilderForAddress("127.0.0.1", port, InsecureChannelCredentials.create())
                    .build());
        }

        Status refusal(String id, String protocol, String endpoint) {
            var request = RegisterGatewayRequest.newBuilder()
                    .setGatewayId(id)
                    .setProtocol(protocol)
                    .setEndpoint(endpoint)
                    .build();
            var stub = SubscriptionServiceGrpc.newBlockingStub(channel);
            return assertThrows(StatusRuntimeException.class, () -> stub.registerGateway(request))
                    .getStatus();
        }

        @Override
        public void close() {
            channel.shutdownNow();
        }
    }
}
