package dev.sluice.server.streamer;

import static dev.sluice.server.streamer.StreamerSetup.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClients;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.model.Subscription;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import dev.sluice.testkit.servers.SelfSigned;
import java.nio.file.Path;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With {@code security.tls} and a token all roles still find each other, by TLS alone. */
@Timeout(120)
class StreamerTlsTest {
    @TempDir
    static Path keys;

    @TempDir
    Path data;

    private static SelfSigned own;
    private DevMongo mongo;

    @BeforeAll
    static void makeCertificate() throws Exception {
        own = SelfSigned.make(keys, "own");
    }

    @BeforeEach
    void startMongo() throws Exception {
        mongo = DevMongo.builder().start();
    }

    @AfterEach
    void stopMongo() {
        mongo.close();
    }

    private StreamerSetup setup(Path folder, String more) {
        return new StreamerSetup(folder, mongo)
                .sections("security: {tls: {certificate: '%s', key: '%s'%s}, token: a-token-of-sixteen-or-more}\n"
                        .formatted(own.certificate(), own.key(), more));
    }

    private void delivers(Node node) throws InterruptedException {
        await(
                "the gateway came by TLS and with the token",
                () -> node.streamer().gateways().size() == 1);
        await("owned", () -> !node.streamer().streamer().head().isEmpty());
        var gateway = node.streamer().gateways().list().getFirst().address();
        assertThat(gateway.endpoint()).startsWith("https://");
        node.streamer().subscriptions().register(List.of(Subscription.of("s", gateway.id(), "", "orders", "{}")));
        try (var client = MongoClients.create(mongo.connectionString())) {
            client.getDatabase("shop").getCollection("orders").insertOne(new Document("_id", "1"));
        }
        await("delivered", () -> node.streamer().streamer().counters().delivered() == 1);
    }

    @Test
    void allRolesInOneProcessWithACertificateOfTheirOwn() throws Exception {
        try (var node = setup(data, "").start(Role.PULLER, Role.STREAMER, Role.GATEWAY)) {
            delivers(node);
        }
    }

    @Test
    void aStreamerElsewhereAndCertificatesDemandedOfEverybody() throws Exception {
        var demanded = ", ca: '" + own.certificate() + "'";
        try (var puller = setup(data.resolve("p"), demanded).start(Role.PULLER);
                var node = setup(data.resolve("s"), demanded)
                        .routing("pullers: ['127.0.0.1:" + puller.puller().port() + "']")
                        .start(Role.STREAMER, Role.GATEWAY)) {
            delivers(node);
        }
    }
}
