package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClients;
import dev.sluice.client.ConsumerListener;
import dev.sluice.client.ConsumerOptions;
import dev.sluice.client.EventConsumer;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.model.ProgressMarker;
import dev.sluice.server.node.Node;
import dev.sluice.testkit.servers.SelfSigned;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;
import org.bson.Document;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With {@code security.tls} nothing the Puller listens on speaks to those who do not, over HTTP and over gRPC. */
class PullerTlsTest {
    private static final String TOKEN = "a-token-of-sixteen-or-more";

    @TempDir
    static Path keys;

    @TempDir
    Path data;

    private static SelfSigned server;

    @BeforeAll
    static void makeCertificate() throws Exception {
        server = SelfSigned.make(keys, "server");
    }

    private Node start(DevMongo mongo, String more) throws IOException {
        return new PullerSetup(data)
                .backend("shop", mongo)
                .backendOptions("start: earliest")
                .sections("security: {tls: {certificate: '%s', key: '%s'%s}, token: %s}\n"
                        .formatted(server.certificate(), server.key(), more, TOKEN))
                .start();
    }

    @Test
    void healthAdminAndMetricsAnswerOverTlsOnlyAndTheTokenIsStillDemanded() throws Exception {
        try (var mongo = DevMongo.builder().start();
                var role = start(mongo, "");
                var trusting = client(server, null);
                var stranger = HttpClient.newHttpClient()) {
            var admin = "127.0.0.1:" + role.http().adminPort();
            var metrics = "127.0.0.1:" + role.http().metricsPort();
            for (var address :
                    List.of(admin + "/livez", admin + "/health", admin + "/admin/v1/status", metrics + "/metrics")) {
                assertThat(get(trusting, "https://" + address, TOKEN))
                        .as(address)
                        .isEqualTo(200);
                assertThatThrownBy(() -> get(stranger, "https://" + address, TOKEN))
                        .as("the certificate is the one of the configuration, which no system trusts")
                        .isInstanceOf(SSLHandshakeException.class);
                assertThatThrownBy(() -> plain(stranger, address))
                        .as("in the clear there is no answer")
                        .isInstanceOf(IOException.class);
            }
            assertThat(get(trusting, "https://" + admin + "/health", "wrong")).isEqualTo(401);
            assertThat(get(trusting, "https://" + metrics + "/metrics", "wrong"))
                    .isEqualTo(401);
        }
    }

    /** Some servers answer 400 to one who speaks no TLS: that is no answer either. */
    private static void plain(HttpClient client, String address) throws IOException, InterruptedException {
        if (get(client, "http://" + address, TOKEN) >= 400) {
            throw new IOException("refused");
        }
    }

    @Test
    void withACaOnlyThoseWithACertificateOfItAreServed() throws Exception {
        var known = SelfSigned.make(keys, "known");
        var unknown = SelfSigned.make(keys, "unknown");
        try (var mongo = DevMongo.builder().start();
                var role = start(mongo, ", ca: '" + known.certificate() + "'");
                var with = client(server, known);
                var wrong = client(server, unknown);
                var without = client(server, null)) {
            var health = "https://127.0.0.1:" + role.http().adminPort() + "/health";
            assertThat(get(with, health, TOKEN)).isEqualTo(200);
            assertThatThrownBy(() -> get(wrong, health, TOKEN)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> get(without, health, TOKEN)).isInstanceOf(IOException.class);

            write(mongo);
            assertThat(received(role, known)).containsExactly("insert 1");
            assertRefused(role, null);
            assertRefused(role, unknown);
        }
    }

    @Test
    void eventsComeOverTls() throws Exception {
        try (var mongo = DevMongo.builder().start();
                var role = start(mongo, "")) {
            write(mongo);
            assertThat(received(role, null)).containsExactly("insert 1");
        }
    }

    private static void write(DevMongo mongo) {
        try (var client = MongoClients.create(mongo.connectionString())) {
            client.getDatabase("shop").getCollection("orders").insertOne(new Document("_id", "1"));
        }
    }

    private ConsumerOptions options(Node role, SelfSigned own) {
        var options = EventConsumer.options()
                .address("127.0.0.1:" + role.puller().port())
                .token(TOKEN)
                .tls(server.certificate())
                .start(ConsumerOptions.Start.OLDEST);
        return own == null ? options : options.certificate(own.certificate(), own.key());
    }

    private List<String> received(Node role, SelfSigned own) throws InterruptedException {
        var received = new CopyOnWriteArrayList<String>();
        try (var consumer = options(role, own)
                .start(event -> received.add(event.getOperationType() + " " + event.getDocumentId()))) {
            await("an event", () -> !received.isEmpty());
            assertThat(consumer.marker()).isNotEmpty();
        }
        return received;
    }

    private void assertRefused(Node role, SelfSigned own) throws InterruptedException {
        var failures = new CopyOnWriteArrayList<Throwable>();
        var listener = new ConsumerListener() {
            @Override
            public void disconnected(String address, Throwable cause) {
                failures.add(cause);
            }
        };
        try (var consumer = options(role, own).listener(listener).start(event -> {
            throw new AssertionError("served without a certificate");
        })) {
            await("a failure", () -> !failures.isEmpty());
            assertThat(consumer.marker()).as("nothing was handled").isEqualTo(ProgressMarker.NOWHERE.encode());
        }
    }

    private static int get(HttpClient client, String uri, String token) throws IOException, InterruptedException {
        return client.send(
                        HttpRequest.newBuilder(URI.create(uri))
                                .header("authorization", "Bearer " + token)
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    private static HttpClient client(SelfSigned trusted, SelfSigned own) throws IOException, GeneralSecurityException {
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store(trusted, false));
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own == null ? store(trusted, false) : store(own, true), new char[0]);
        var tls = SSLContext.getInstance("TLS");
        tls.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(tls).build();
    }

    private static KeyStore store(SelfSigned pair, boolean withKey) throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (var pem = Files.newInputStream(pair.certificate())) {
            var certificate = CertificateFactory.getInstance("X.509").generateCertificate(pem);
            if (withKey) {
                var bytes = Base64.getMimeDecoder()
                        .decode(Files.readAllLines(pair.key()).stream()
                                .filter(line -> !line.startsWith("-"))
                                .collect(Collectors.joining()));
                var key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(bytes));
                store.setKeyEntry("it", key, new char[0], new java.security.cert.Certificate[] {certificate});
            } else {
                store.setCertificateEntry("it", certificate);
            }
        }
        return store;
    }
}
