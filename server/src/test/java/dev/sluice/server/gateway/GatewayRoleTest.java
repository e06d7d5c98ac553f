package dev.sluice.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClients;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class GatewayRoleTest {
    @TempDir
    Path data;

    private Node start(DevMongo mongo, String gateway) throws Exception {
        var yaml = """
                storage: {backends: [{name: shop, connection: '%s', database: shop}]}
                puller:
                  grpc: {address: ':0'}
                  health: {port: 0}
                  metrics: {port: 0}
                  backends: [{name: shop}]
                  buffer: {path: '%s', min_free: 1MiB}
                routing: {grpc: {address: ':0'}}
                gateway: {address: ':0'%s}
                """.formatted(mongo.connectionString(), data.resolve("events"), gateway);
        var config = ((Reading.Accepted) ConfigFile.parse(yaml, Map.of())).config();
        return Node.start(config, EnumSet.of(Role.PULLER, Role.STREAMER, Role.GATEWAY), "test");
    }

    private static void await(BooleanSupplier reached) throws InterruptedException {
        for (var k = 0; !reached.getAsBoolean(); k++) {
            assertThat(k).as("tries within 30 s").isLessThan(1500);
            Thread.sleep(20);
        }
    }

    private static double metric(Node node, String name) {
        return node.scrape()
                .lines()
                .filter(line -> line.startsWith("sluice_gateway_" + name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    /** All roles in one process: what is written in MongoDB arrives where a browser would read it. */
    @Test
    void aChangeArrivesAtAnEndUser() throws Exception {
        try (var mongo = DevMongo.builder().start();
                var client = MongoClients.create(mongo.connectionString());
                var http = HttpClient.newHttpClient();
                var node = start(mongo, "")) {
            await(() -> !node.streamer().streamer().head().isEmpty());
            await(() -> node.streamer().gateways().size() == 1);
            var root = "http://127.0.0.1:" + node.gateway().port();
            var page = http.send(
                    HttpRequest.newBuilder(URI.create(root + "/try")).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(page.statusCode()).isEqualTo(200);
            var stream = http.send(
                    HttpRequest.newBuilder(URI.create(root + "/v1/events?collection=orders"))
                            .build(),
                    HttpResponse.BodyHandlers.ofLines());
            await(() -> metric(node, "connections") == 1 && metric(node, "subscriptions") == 1);
            client.getDatabase("shop").getCollection("orders").insertOne(new Document("_id", "seen"));
            try (var lines = stream.body()) {
                assertThat(lines.filter(line -> line.startsWith("data:") && line.contains("seen"))
                                .findFirst())
                        .isPresent();
            }
            assertThat(node.scrape()).contains("sluice_gateway_cut_offs_total");
            var admin = http.send(
                    HttpRequest.newBuilder(
                                    URI.create("http://127.0.0.1:" + node.http().adminPort() + "/admin/v1/status"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(BsonDocument.parse(admin.body()).getString("role").getValue())
                    .isEqualTo("puller,streamer,gateway");
        }
    }

    @Test
    void withASecretNobodyComesInWithoutAToken() throws Exception {
        try (var mongo = DevMongo.builder().start();
                var http = HttpClient.newHttpClient();
                var node = start(mongo, ", jwt: {secret: 0123456789abcdef0123456789abcdef}")) {
            var refused = http.send(
                    HttpRequest.newBuilder(URI.create(
                                    "http://127.0.0.1:" + node.gateway().port() + "/v1/events?collection=orders"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(refused.statusCode()).isEqualTo(401);
        }
    }
}
