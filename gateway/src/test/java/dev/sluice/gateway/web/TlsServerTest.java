package dev.sluice.gateway.web;

import static dev.sluice.gateway.StandInStreamer.await;
import static dev.sluice.gateway.StandInStreamer.marker;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.StandInStreamer;
import dev.sluice.grpc.ServerSecurity;
import dev.sluice.net.ListenAddress;
import dev.sluice.testkit.servers.SelfSigned;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** As end users meet it in earnest: TLS and tokens. */
@Timeout(60)
class TlsServerTest {
    private static final WebLimits QUICK =
            new WebLimits(10, 10, 10, 2048, 50, 4 << 20, 16 << 20, Duration.ofMillis(100));

    @TempDir
    static Path keys;

    private static SelfSigned pair;

    private StandInStreamer streamer;
    private GatewayServer server;
    private HttpClient client;
    private String token;

    @BeforeAll
    static void makeKeys() throws Exception {
        pair = SelfSigned.make(keys, "gateway");
    }

    @BeforeEach
    void start() throws Exception {
        streamer = new StandInStreamer();
        // The CA is for other listeners: whoever has a token needs no certificate.
        ServerSecurity tls = new ServerSecurity(pair.certificate(), pair.key(), pair.certificate(), null, false);
        server = GatewayServer.start(
                Gateway.builder("web").streamer(streamer.address()),
                WebOptions.DEFAULT
                        .at(ListenAddress.loopback(0))
                        .within(QUICK)
                        .securedBy(tls)
                        .forPagesOf(Set.of("https://app.example.com"))
                        .authenticatedBy(JwtAuthenticator.hs256(Tokens.SECRET, Clock.systemUTC())));
        client = HttpClient.newBuilder().sslContext(trusting(pair)).build();
        token = Tokens.hs256(
                "{\"tenant\":\"acme\",\"exp\":" + Instant.now().plusSeconds(600).getEpochSecond() + "}");
        await("it is registered", () -> streamer.gateways.containsKey("web"));
    }

    private static SSLContext trusting(SelfSigned pair) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream pem = Files.newInputStream(pair.certificate())) {
            store.setCertificateEntry(
                    "gateway", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    @AfterEach
    void stop() {
        client.shutdownNow();
        server.close();
        streamer.close();
    }

    private HttpResponse<InputStream> events() throws Exception {
        return client.send(
                HttpRequest.newBuilder(
                                URI.create("https://localhost:" + server.port() + "/v1/events?collection=orders"))
                        .header("Authorization", "Bearer " + token)
                        .header("Origin", "https://app.example.com")
                        .build(),
                HttpResponse.BodyHandlers.ofInputStream());
    }

    private static String line(BufferedReader lines, String start) throws Exception {
        String line = lines.readLine();
        while (line != null && !line.startsWith(start)) {
            line = lines.readLine();
        }
        return String.valueOf(line);
    }

    @Test
    void serverSentEventsOverTlsEndWhenTheClientLeavesThem() throws Exception {
        HttpResponse<InputStream> answer = events();
        assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
        assertThat(answer.statusCode()).isEqualTo(200);
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
            assertThat(line(lines, "id:")).isEqualTo("id: " + marker(100));
            streamer.deliver("web", streamer.registrations.getFirst().getId(), "a", 1, marker(101));
            assertThat(line(lines, "data:")).contains("\"documentId\":\"a\"");
        }
        await("its subscription is gone", () -> streamer.subscriptions.isEmpty() && server.connections() == 0);
    }

    @Test
    void aSlowReaderOverTlsIsCutOffAndAnotherIsNot() throws Exception {
        HttpResponse<InputStream> slow = events();
        HttpResponse<InputStream> quick = events();
        await("both are subscribed", () -> streamer.registrations.size() == 2);
        String slowId = streamer.registrations.getFirst().getId();
        String large = "x".repeat(100_000);
        for (long seq = 1; server.cutOffs() == 0 && seq < 2_000; seq++) {
            assertThat(streamer.deliver("web", slowId, large + seq, seq, marker(100)))
                    .startsWith("200 ");
        }
        assertThat(server.cutOffs()).isOne();
        await("its subscription is gone", () -> !streamer.subscriptions.containsKey(slowId));
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(quick.body(), StandardCharsets.UTF_8))) {
            streamer.deliver("web", streamer.registrations.getLast().getId(), "after", 1, marker(101));
            assertThat(line(lines, "data:")).contains("\"documentId\":\"after\"");
        }
        slow.body().close();
    }

    @Test
    void aWebSocketOverTls() throws Exception {
        LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();
        WebSocket socket = client.newWebSocketBuilder()
                .buildAsync(
                        URI.create("wss://localhost:" + server.port() + "/v1/subscribe?access_token=" + token),
                        new WebSocket.Listener() {
                            @Override
                            public CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
                                told.add(text.toString());
                                from.request(1);
                                return null;
                            }
                        })
                .get(20, TimeUnit.SECONDS);
        socket.sendText("{\"op\":\"subscribe\",\"id\":\"x\",\"collection\":\"orders\"}", true)
                .get();
        await("it is subscribed", () -> streamer.subscriptions.size() == 1);
        assertThat(streamer.registrations.getFirst().getTenant()).isEqualTo("acme");
        streamer.deliver("web", streamer.registrations.getFirst().getId(), "a", 1, marker(101));
        assertThat(told.poll(20, TimeUnit.SECONDS)).startsWith("{\"id\":\"x\",\"event\":{");
        socket.abort();
    }

    @Test
    void aBrowserIsToldThatPagesOfAListedOriginMaySendTokens() throws Exception {
        HttpResponse<Void> answer = client.send(
                HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/v1/events"))
                        .method("OPTIONS", HttpRequest.BodyPublishers.noBody())
                        .header("Origin", "https://app.example.com")
                        .header("Access-Control-Request-Method", "GET")
                        .build(),
                HttpResponse.BodyHandlers.discarding());
        assertThat(answer.statusCode()).isEqualTo(204);
        assertThat(answer.headers().firstValue("access-control-allow-origin")).hasValue("https://app.example.com");
        assertThat(answer.headers().firstValue("access-control-allow-headers"))
                .hasValue("authorization, last-event-id");
    }
}
