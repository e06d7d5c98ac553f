package dev.sluice.server.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.assign.ModuloAssigner;
import dev.sluice.coordinate.assign.StickyAssigner;
import dev.sluice.model.InvalidInputException;
import dev.sluice.nats.NatsAccess;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.outbox.OutboxRelay;
import dev.sluice.outbox.PayloadCipher;
import dev.sluice.outbox.nats.JetStreamSinks;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import dev.sluice.server.streamer.OwnTrust;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.testkit.servers.SelfSigned;
import io.nats.client.Nats;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import javax.crypto.spec.SecretKeySpec;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Keys, logins and secrets of the configuration reach the relay of {@code sluice run --role outbox}. */
@Timeout(60)
class OutboxSecretsTest {
    private static final byte[] JANUARY = "0123456789abcdef".getBytes(StandardCharsets.UTF_8);
    private static final byte[] FEBRUARY = "fedcba9876543210".getBytes(StandardCharsets.UTF_8);
    private static final Map<String, String> ENVIRONMENT =
            Map.of("KEY", base64(JANUARY), "PW", "geheim", "SECRET", "a secret that relays share");

    private final String topic = "outbox-" + UUID.randomUUID();
    private final JdbcDataSource source = new JdbcDataSource();

    @TempDir
    private Path folder;

    @BeforeEach
    void tables() {
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        OutboxSchema.create(source);
    }

    private static String base64(byte[] key) {
        return Base64.getEncoder().encodeToString(key);
    }

    private SluiceConfig config(String more, String outbox) {
        var yaml = """
                puller: {grpc: {address: ':0'}, health: {port: 0}, metrics: {port: 0}}
                %s
                outbox:
                  datasource: {url: '%s'}
                  sink: nats
                  node: {id: n1}
                  total: {partitions: 2}
                  task: {scheduler: {publish: {initial_delay: 0}}}
                  %s
                """.formatted(more, source.getURL(), outbox);
        var reading = ConfigFile.parse(yaml, ENVIRONMENT);
        assertThat(reading).isInstanceOf(Reading.Accepted.class);
        return ((Reading.Accepted) reading).config();
    }

    private static Node start(SluiceConfig config) throws Exception {
        return Node.start(config, EnumSet.of(Role.OUTBOX), "test");
    }

    private void write(String key, byte[] cipherKey, String payload) throws Exception {
        var cipher = PayloadCipher.aesGcm(key, Map.of(key, new SecretKeySpec(cipherKey, "AES")));
        try (var outbox = Outbox.builder().partitions(2).cipher(cipher).build();
                var connection = source.getConnection()) {
            connection.setAutoCommit(false);
            outbox.append(
                    connection, OutboxMessage.to(topic).key("k").json(payload).build());
            connection.commit();
        }
    }

    /** The relay logs in by user and password over TLS, and decrypts with a key of the environment and one of a file. */
    @Test
    void encryptedPayloadsReachANatsServerThatAsksForALoginInTheClear() throws Exception {
        var own = SelfSigned.make(folder, "own");
        var keyFile = Files.writeString(folder.resolve("february"), base64(FEBRUARY) + "\n");
        try (var asking = NatsServer.startPrivate(
                "--user=relay", "--pass=geheim", "--tls", "--tlscert=" + own.certificate(), "--tlskey=" + own.key())) {
            var url = asking.url().replace("nats:", "tls:");
            var config = config(
                    "security: {tls: {certificate: '" + own.certificate() + "', key: '" + own.key() + "'}}",
                    """
                    nats: {servers: ['%s'], user: relay, password: '${PW}'}
                      encryption: {keys: {january: '${KEY}'}, key_files: {february: '%s'}}
                    """.formatted(url, keyFile));
            var trust = OwnTrust.of(config.security().tls()).context();
            var access = new NatsAccess(List.of(url), "relay", "geheim", null, null, trust);
            try (var nats = Nats.connect(access.options().build())) {
                var streams = nats.jetStreamManagement();
                streams.addStream(StreamConfiguration.builder()
                        .name(topic)
                        .subjects(topic)
                        .storageType(StorageType.Memory)
                        .build());
                write("january", JANUARY, "one");
                write("february", FEBRUARY, "two");
                try (var node = start(config)) {
                    await(() -> node.outbox().relay().counters().sent() == 2);
                }
                var payloads = new ArrayList<String>();
                for (var seq = 1; seq <= 2; seq++) {
                    payloads.add(new String(streams.getMessage(topic, seq).getData(), StandardCharsets.UTF_8));
                }
                assertThat(payloads).containsExactly("one", "two");
            }
        }
    }

    @Test
    void aFileThatHoldsNoKeyStopsTheStartAndIsNotShown() throws Exception {
        var file = Files.writeString(folder.resolve("wrong"), "hunter2");
        assertThatThrownBy(() -> start(config("", "encryption: {key_files: {january: '" + file + "'}}")))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("outbox.encryption.key_files.january")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void aRelayWithoutTheClustersSecretIsRefusedAndTheAuditTrailSaysSo() throws Exception {
        var nats = "nats: {servers: ['" + NatsServer.shared().url() + "']}";
        try (var node = start(config("cluster: {secrets: ['${SECRET}']}", nats));
                var stranger = OutboxRelay.builder(source)
                        .name("outbox")
                        .nodeId("stranger")
                        .partitions(2)
                        .sink(JetStreamSinks.atLeastOnce(NatsServer.shared().url()))
                        .start()) {
            // The node may refuse something else first: an assignment that the stranger wrote, for example.
            await(() -> audit(node).contains("refused") && audit(node).contains("stranger"));
            assertThat(stranger.status().partitions()).isEmpty();
            await(() -> node.outbox().relay().status().partitions().size() == 2);
        }
    }

    private static void await(Callable<Boolean> reached) throws Exception {
        var end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!reached.call()) {
            assertThat(System.nanoTime() - end).as("within 30 s").isNegative();
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static String audit(Node node) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            var uri = URI.create("http://127.0.0.1:" + node.http().adminPort() + "/admin/v1/outbox/audit");
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    @Test
    void theClustersAssignmentCountsUnlessTheOutboxHasItsOwn() {
        var cluster = config("cluster: {assignment: modulo}", "weight: 1");
        assertThat(RelayParts.settings(cluster).assigner()).isInstanceOf(ModuloAssigner.class);
        var own = config("cluster: {assignment: modulo}", "assignment: sticky");
        assertThat(RelayParts.settings(own).assigner()).isInstanceOf(StickyAssigner.class);
    }
}
