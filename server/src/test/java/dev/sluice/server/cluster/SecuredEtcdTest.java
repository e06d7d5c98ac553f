package dev.sluice.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.RawBson;
import dev.sluice.run.Loops;
import dev.sluice.server.config.CheckpointBackend;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.testkit.servers.EtcdServer;
import dev.sluice.testkit.servers.SelfSigned;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Row 32 of issue 12: a real etcd that speaks TLS, asks for a client's certificate, and for a user and password. */
@Timeout(60)
class SecuredEtcdTest {
    private static final String PASSWORD = "p@ss:word/+";
    private static final String IN_ADDRESS = "root:p%40ss%3Aword%2F+@";
    private static final Checkpoint CHECKPOINT =
            new Checkpoint(RawBson.of(new BsonDocument("_data", new BsonString("82"))), ClusterTime.of(7, 1));

    @TempDir
    private static Path folder;

    private static SelfSigned keys;
    private static EtcdServer etcd;

    @BeforeAll
    static void start() throws Exception {
        keys = SelfSigned.make(folder, "etcd");
        etcd = EtcdServer.startSecured(keys);
        try (Client client = Client.builder()
                .endpoints(etcd.url())
                .sslContext(tls -> tls.trustManager(keys.certificate().toFile())
                        .keyManager(keys.certificate().toFile(), keys.key().toFile()))
                .build()) {
            var auth = client.getAuthClient();
            auth.userAdd(bytes("root"), bytes(PASSWORD)).get();
            auth.roleAdd(bytes("root")).get();
            auth.userGrantRole(bytes("root"), bytes("root")).get();
            auth.authEnable().get();
        }
    }

    @AfterAll
    static void stop() {
        etcd.close();
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    @Test
    void theClusterComesInByItsConfiguration() {
        SluiceConfig config = config("{store: etcd, endpoints: ['" + endpoint(IN_ADDRESS) + "'], " + tls() + "}", "{}");
        try (Cluster cluster = Cluster.open(config.cluster(), folder, new Loops())) {
            CoordinationStore store = cluster.store();
            assertThat(store.put("sluice/test", new byte[] {1}, CoordinationStore.ABSENT))
                    .isPresent();
            assertThat(store.get("sluice/test")).isPresent();
        }
    }

    @Test
    void theMirrorOfCheckpointsComesInByItsOwnEndpointsOrTheClusters() {
        SluiceConfig own =
                config("{" + tls() + "}", "{checkpoint: {backend: etcd, endpoints: ['" + endpoint(IN_ADDRESS) + "']}}");
        SluiceConfig clusters = config(
                "{store: etcd, endpoints: ['" + endpoint(IN_ADDRESS) + "'], " + tls() + "}",
                "{checkpoint: {backend: etcd}}");
        try (CheckpointStore first = mirror(own);
                CheckpointStore second = mirror(clusters)) {
            first.save("main", CHECKPOINT);
            assertThat(second.load("main")).contains(CHECKPOINT);
        }
    }

    @Test
    void aWrongPasswordIsSaidAndNotShown() {
        SluiceConfig wrong = config(
                "{" + tls() + "}", "{checkpoint: {backend: etcd, endpoints: ['" + endpoint("root:guessed@") + "']}}");
        try (CheckpointStore mirror = mirror(wrong)) {
            assertThatThrownBy(() -> mirror.load("main"))
                    .isInstanceOf(CheckpointException.class)
                    .hasMessageContaining("lets us in")
                    .hasMessageNotContaining("guessed");
        }
    }

    @Test
    void tlsThatNoEndpointUsesIsRefused() {
        assertThat(ConfigFile.parse("cluster: {" + tls() + "}", Map.of()))
                .isInstanceOfSatisfying(
                        Reading.Refused.class,
                        refused -> assertThat(refused.problems().toString()).contains("cluster.tls", "https://"));
    }

    private static CheckpointStore mirror(SluiceConfig config) {
        return CheckpointMirrors.at(
                        CheckpointBackend.ETCD, config.puller().checkpoint().endpoints(), config.cluster(), () -> {
                            throw new IllegalStateException("not MongoDB");
                        })
                .orElseThrow()
                .get();
    }

    private static String endpoint(String login) {
        return etcd.url().replace("://", "://" + login);
    }

    private static String tls() {
        return "tls: {ca: '" + keys.certificate() + "', certificate: '" + keys.certificate() + "', key: '" + keys.key()
                + "'}";
    }

    private static SluiceConfig config(String cluster, String puller) {
        var reading = ConfigFile.parse("cluster: " + cluster + "\npuller: " + puller + "\n", Map.of());
        assertThat(reading).isInstanceOf(Reading.Accepted.class);
        return ((Reading.Accepted) reading).config();
    }
}
