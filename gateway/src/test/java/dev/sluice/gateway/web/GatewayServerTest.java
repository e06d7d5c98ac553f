package dev.sluice.gateway.web;

import static dev.sluice.gateway.StandInStreamer.await;
import static dev.sluice.gateway.StandInStreamer.marker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.StandInStreamer;
import dev.sluice.grpc.streamer.v1.Subscription;
import dev.sluice.net.BindRefusedException;
import dev.sluice.net.ListenAddress;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What end users get, over real sockets; the Streamer's side is played. */
@Timeout(60)
class GatewayServerTest {
    private static final WebLimits QUICK = new WebLimits(4, 3, 2, 2048, 50, 4 << 20, 16 << 20, Duration.ofMillis(100));
    private static final String ORDERS =
            "tenant=acme&collection=orders&filter=" + SseClient.encode("{\"n\": {\"$gt\": 0}}");

    private final WebOptions options =
            WebOptions.DEFAULT.at(ListenAddress.loopback(0)).within(QUICK);
    private StandInStreamer streamer;
    private GatewayServer server;

    @BeforeEach
    void start() throws Exception {
        streamer = new StandInStreamer();
        server = start(options);
    }

    private GatewayServer start(WebOptions how) throws Exception {
        streamer.gateways.clear();
        GatewayServer started = GatewayServer.start(Gateway.builder("web").streamer(streamer.address()), how);
        await("it is registered", () -> streamer.gateways.containsKey("web"));
        return started;
    }

    private void restartWith(WebOptions how) throws Exception {
        server.close();
        server = start(how);
    }

    @AfterEach
    void stop() {
        server.close();
        streamer.close();
    }

    private SseClient sse(String query, String... headers) throws Exception {
        return new SseClient(server.port(), query, headers);
    }

    private SocketClient socket() throws Exception {
        return new SocketClient(server.port(), "");
    }

    private Subscription subscription() throws Exception {
        await("one is subscribed", () -> streamer.subscriptions.size() == 1);
        return streamer.subscriptions.values().iterator().next();
    }

    private void deliver(String subscription, String document, long seq) throws Exception {
        assertThat(streamer.deliver("web", subscription, document, seq, marker(100 + (int) seq)))
                .startsWith("200 ");
    }

    @Test
    void serverSentEventsCarryTheChangesAndTheMarkerToGoOnFrom() throws Exception {
        try (SseClient client = sse(ORDERS)) {
            assertThat(client.status()).isEqualTo(200);
            assertThat(client.header("content-type")).isEqualTo("text/event-stream");
            assertThat(client.next()).isEqualTo(new SseClient.Message("", "", marker(100)));
            Subscription made = subscription();
            assertThat(made.getGatewayId()).isEqualTo("web");
            assertThat(made.getTenant() + made.getCollection() + made.getFilter())
                    .isEqualTo("acmeorders{\"n\": {\"$gt\": 0}}");
            deliver(made.getId(), "a", 1);
            SseClient.Message change = client.nextEvent();
            assertThat(change.id()).isEqualTo(marker(101));
            assertThat(change.data())
                    .startsWith("{\"id\":\"7-1-0000000000000001\",\"type\":\"update\",\"tenant\":\"acme\"");
            assertThat(change.data()).contains("\"document\":{\"_id\": \"a\", \"n\": 1}");
        }
        await("its subscription is gone", () -> streamer.subscriptions.isEmpty());
        await("its seat is free", () -> server.connections() == 0);
    }

    @Test
    void anIdleStreamLearnsHowFarTheStreamerGot() throws Exception {
        try (SseClient client = sse(ORDERS)) {
            assertThat(client.next().id()).isEqualTo(marker(100));
            streamer.progress = marker(170);
            SseClient.Message moved = client.next();
            assertThat(moved).isEqualTo(new SseClient.Message("", "", marker(170)));
        }
    }

    @Test
    void anIdOfWhatPartitionsPassedAndOfWhatTheClientGotBeyondResumesWithoutRepeats() throws Exception {
        streamer.revision = 9;
        streamer.tellPassed("web", 0, 50);
        String lastId;
        try (SseClient client = sse(ORDERS)) {
            assertThat(client.next().id()).isEqualTo(marker(100));
            String made = subscription().getId();
            assertThat(streamer.deliverOf("web", made, 0, 105)).startsWith("200 ");
            assertThat(streamer.deliverOf("web", made, 0, 107)).startsWith("200 ");
            assertThat(client.nextEvent().id()).startsWith(marker(100) + '~');
            lastId = client.nextEvent().id();
            assertThat(lastId).startsWith(marker(100) + '~');
        }
        await("its subscription is gone", () -> streamer.subscriptions.isEmpty());
        try (SseClient client = sse(ORDERS, "Last-Event-ID", lastId)) {
            assertThat(client.next().id()).isEqualTo(lastId);
            Subscription made = subscription();
            assertThat(made.getFrom()).isEqualTo(marker(100));
            assertThat(streamer.deliverOf("web", made.getId(), 0, 105)).startsWith("200 ");
            assertThat(streamer.deliverOf("web", made.getId(), 0, 107)).startsWith("200 ");
            assertThat(streamer.deliverOf("web", made.getId(), 1, 104)).startsWith("200 ");
            assertThat(client.nextEvent().data()).contains("7-107-");
            assertThat(client.nextEvent().data()).contains("7-104-");
            streamer.tellPassed("web", 0, 110);
            streamer.tellPassed("web", 1, 111);
            SseClient.Message moved = client.next();
            assertThat(moved).as("idle").isEqualTo(new SseClient.Message("", "", marker(110)));
        }
    }

    @Test
    void whoComesAgainWithItsLastIdGoesOnThereAlsoAfterARestartOfTheGateway() throws Exception {
        try (SseClient client = sse(ORDERS)) {
            deliver(subscription().getId(), "a", 1);
            assertThat(client.nextEvent().id()).isEqualTo(marker(101));
            restartWith(options);
            assertThat(client.nextEvent().type()).isEqualTo("end");
        }
        await("the subscriptions of its earlier life are gone", () -> streamer.subscriptions.isEmpty());
        try (SseClient client = sse(ORDERS, "Last-Event-ID", marker(101))) {
            assertThat(subscription().getFrom()).isEqualTo(marker(101));
            deliver(subscription().getId(), "a", 1);
            assertThat(client.nextEvent().data()).contains("7-1-0000000000000001");
        }
    }

    /** A Streamer sends with every event the lowest marker of all subscriptions of the gateway. */
    @Test
    void anOldIdOfOneClientSetsBackTheIdOfNoOther() throws Exception {
        try (SseClient current = sse(ORDERS)) {
            String id = subscription().getId();
            streamer.deliver("web", id, "a", 1, marker(200));
            assertThat(current.nextEvent().id()).isEqualTo(marker(200));
            try (SseClient behind = sse(ORDERS, "Last-Event-ID", marker(10))) {
                await("both are subscribed", () -> streamer.subscriptions.size() == 2);
                String other = streamer.registrations.getLast().getId();
                streamer.deliver("web", other, "a", 1, marker(10));
                assertThat(behind.nextEvent().id()).isEqualTo(marker(10));
                streamer.deliver("web", id, "b", 2, marker(10));
                assertThat(current.nextEvent().id()).isEqualTo(marker(200));
                streamer.deliver("web", id, "c", 3, marker(201));
                assertThat(current.nextEvent().id()).isEqualTo(marker(201));
            }
        }
    }

    @Test
    void whoWasAwayTooLongIsToldToResyncAndGetsWhatComesNow() throws Exception {
        streamer.oldest = 50;
        try (SseClient client = sse(ORDERS + "&lastEventId=" + marker(10))) {
            SseClient.Message resync = client.next();
            assertThat(resync)
                    .isEqualTo(
                            new SseClient.Message("resync", "{\"reason\":\"older than what is kept\"}", marker(100)));
            assertThat(subscription().getFrom()).isEmpty();
            deliver(subscription().getId(), "a", 1);
            assertThat(client.nextEvent().data()).contains("\"update\"");
        }
    }

    @Test
    void aResyncOfTheStreamerIsPassedOn() throws Exception {
        try (SseClient client = sse(ORDERS)) {
            assertThat(streamer.deliverResync("web", subscription().getId(), 1, marker(300)))
                    .startsWith("200 ");
            assertThat(client.nextEvent())
                    .isEqualTo(new SseClient.Message("resync", "{\"reason\":\"changes are missing\"}", marker(300)));
            // The history of the source may have become another one: its markers may be lower.
            streamer.deliverResync("web", subscription().getId(), 2, marker(150));
            assertThat(client.nextEvent().id()).isEqualTo(marker(150));
            streamer.deliver("web", subscription().getId(), "a", 3, marker(151));
            assertThat(client.nextEvent().id()).isEqualTo(marker(151));
        }
    }

    @Test
    void withoutAStreamerABrowserIsHeldBecauseItWouldGiveUpOnAnError() throws Exception {
        streamer.stop();
        try (SseClient client = sse(ORDERS, "Last-Event-ID", marker(99))) {
            assertThat(client.status()).isEqualTo(200);
            streamer.startAgain();
            deliver(subscription().getId(), "a", 1);
            assertThat(client.nextEvent().data()).contains("\"documentId\":\"a\"");
            assertThat(streamer.registrations.getLast().getFrom()).isEqualTo(marker(99));
        }
    }

    @Test
    void badQuestionsGetAReason() throws Exception {
        assertRefused(400, "collection", "tenant=acme");
        assertRefused(400, "$where", "collection=orders&filter=" + SseClient.encode("{\"$where\": 1}"));
        assertRefused(400, "marker", "collection=orders&lastEventId=nonsense");
        streamer.refusal = "the tenant has 50000 subscriptions already";
        assertRefused(400, streamer.refusal, ORDERS);
    }

    private void assertRefused(int status, String reason, String query, String... headers) throws Exception {
        try (SseClient client = sse(query, headers)) {
            assertThat(client.status()).isEqualTo(status);
            assertThat(client.body()).contains(reason);
        }
        await("its seat is free", () -> server.connections() == 0);
    }

    @Test
    void aSlowBrowserIsCutOffAndNobodyElseNotices() throws Exception {
        try (Socket slow = stuck();
                SseClient quick = sse(ORDERS)) {
            await("both are subscribed", () -> streamer.subscriptions.size() == 2);
            String slowId = streamer.registrations.getFirst().getId();
            String quickId = streamer.registrations.getLast().getId();
            String large = "x".repeat(100_000);
            long longest = 0;
            long seq = 0;
            while (server.cutOffs() == 0 && seq < 2_000) {
                long before = System.nanoTime();
                deliver(slowId, large + ++seq, seq);
                longest = Math.max(longest, System.nanoTime() - before);
            }
            System.out.println("cut off after " + seq + " events; the slowest delivery took " + longest / 1000 + " µs");
            assertThat(server.cutOffs()).isOne();
            await("its subscription is gone", () -> !streamer.subscriptions.containsKey(slowId));
            deliver(quickId, "after", 1);
            assertThat(quick.nextEvent().data()).contains("\"documentId\":\"after\"");
            await("its seat is free", () -> server.connections() == 1);
        }
    }

    /** Asks for events and never reads them. */
    private Socket stuck() throws IOException, InterruptedException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new java.net.InetSocketAddress("127.0.0.1", server.port()));
        socket.getOutputStream()
                .write(("GET /v1/events?" + ORDERS + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        await("it is subscribed", () -> streamer.subscriptions.size() == 1);
        return socket;
    }

    @Test
    void connectionsAreCountedByAddressAndAltogether() throws Exception {
        try (SseClient one = sse(ORDERS);
                SseClient two = sse(ORDERS);
                SocketClient three = socket()) {
            await("three sit", () -> server.connections() == 3);
            try (SseClient four = sse(ORDERS)) {
                assertThat(four.status()).isEqualTo(503);
                assertThat(four.body()).contains("your address has all the connections it may have (3)");
            }
            try (SocketClient four = socket()) {
                assertThat(four.closed.get(20, TimeUnit.SECONDS)).startsWith("1013 your address has all");
            }
            assertThat(server.web().refusals(WebCounters.Refusal.BUSY)).isEqualTo(2);
            assertThat(one.status() + two.status()).isEqualTo(400);
            assertThat(three.closed).isNotDone();
        }
        await("all are free again", () -> server.connections() == 0);
    }

    @Test
    void onlyOwnPagesAndListedOnesConnect() throws Exception {
        restartWith(options.forPagesOf(Set.of("https://app.example.com")));
        assertRefused(403, "origin", ORDERS, "Origin", "https://evil.example.com");
        try (SseClient listed = sse(ORDERS, "Origin", "https://app.example.com")) {
            assertThat(listed.status()).isEqualTo(200);
            assertThat(listed.header("access-control-allow-origin")).isEqualTo("https://app.example.com");
        }
        try (SseClient own = sse(ORDERS, "Origin", "http://127.0.0.1:" + server.port())) {
            assertThat(own.status()).isEqualTo(200);
        }
        assertThatThrownBy(() -> new SocketClient(server.port(), "", "Origin", "https://evil.example.com").close())
                .hasCauseInstanceOf(java.net.http.WebSocketHandshakeException.class)
                .cause()
                .extracting(e -> ((java.net.http.WebSocketHandshakeException) e)
                        .getResponse()
                        .statusCode())
                .isEqualTo(403);
    }

    /** A page of anybody's whose name leads to 127.0.0.1 sends no origin, as it asks its own server. */
    @Test
    void onLoopbackAStrangersNameIsRefused() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
            socket.getOutputStream()
                    .write(("GET /v1/events?" + ORDERS + " HTTP/1.1\r\nHost: evil.example.com:8090\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            byte[] start = socket.getInputStream().readNBytes(12);
            assertThat(new String(start, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 403");
        }
    }

    @Test
    void itDoesNotListenWhereStrangersAreWithoutTlsAndACredential() {
        assertThatThrownBy(() -> GatewayServer.start(
                        Gateway.builder("other").streamer(streamer.address()),
                        options.at(new ListenAddress("0.0.0.0", 0))))
                .isInstanceOf(BindRefusedException.class);
    }

    @Test
    void aWebSocketSubscribesHearsAndUnsubscribes() throws Exception {
        try (SocketClient client = socket()) {
            client.send(
                    "{\"op\":\"subscribe\",\"id\":\"mine\",\"tenant\":\"acme\",\"collection\":\"orders\",\"filter\":{\"n\":1}}");
            Subscription made = subscription();
            assertThat(made.getFilter()).isEqualTo("{\"n\":1}");
            deliver(made.getId(), "a", 1);
            assertThat(client.next())
                    .startsWith("{\"id\":\"mine\",\"event\":{\"id\":\"7-1-0000000000000001\",\"type\":\"update\"");
            streamer.deliverResync("web", made.getId(), 2, marker(300));
            assertThat(client.next()).isEqualTo("{\"id\":\"mine\",\"resync\":true}");
            client.send("{\"op\":\"unsubscribe\",\"id\":\"mine\"}");
            await("it is gone", () -> streamer.subscriptions.isEmpty());
            client.send("{\"op\":\"subscribe\",\"id\":\"again\",\"collection\":\"orders\",\"filter\":\"{}\"}");
            assertThat(subscription().getTenant()).isEmpty();
        }
        await("what it had is gone", () -> streamer.subscriptions.isEmpty() && server.connections() == 0);
    }

    @Test
    void aSubscriptionIsReplacedOnlyByOneThatIsAccepted() throws Exception {
        try (SocketClient client = socket()) {
            client.send("{\"op\":\"subscribe\",\"id\":\"mine\",\"collection\":\"orders\",\"filter\":{\"n\":1}}");
            Subscription first = subscription();
            client.send("{\"op\":\"subscribe\",\"id\":\"mine\",\"collection\":\"orders\",\"filter\":{\"$where\":1}}");
            assertThat(client.next())
                    .startsWith("{\"id\":\"mine\",\"error\":\"")
                    .contains("$where");
            deliver(first.getId(), "a", 1);
            assertThat(client.next()).startsWith("{\"id\":\"mine\",\"event\":");
            client.send("{\"op\":\"subscribe\",\"id\":\"mine\",\"collection\":\"orders\",\"filter\":{\"n\":2}}");
            await("the first has made room", () -> !streamer.subscriptions.containsKey(first.getId()));
            assertThat(subscription().getFilter()).isEqualTo("{\"n\":2}");
        }
    }

    @Test
    void whatAWebSocketSaysWronglyIsAnsweredAndTheConnectionStays() throws Exception {
        try (SocketClient client = socket()) {
            client.send("{\"op\":");
            assertThat(client.next()).startsWith("{\"id\":\"\",\"error\":\"not JSON at character ");
            client.send("{\"op\":\"explode\",\"id\":\"a\"}");
            assertThat(client.next()).isEqualTo("{\"id\":\"a\",\"error\":\"\\\"op\\\" is subscribe or unsubscribe\"}");
            client.send("{\"op\":\"subscribe\",\"collection\":\"orders\"}");
            assertThat(client.next()).contains("\"error\":\"\\\"id\\\" is yours to choose");
            client.send("{\"op\":\"subscribe\",\"id\":\"a\",\"collection\":\"orders\",\"filter\":{\"$where\":1}}");
            assertThat(client.next()).startsWith("{\"id\":\"a\",\"error\":\"").contains("$where");
            for (int k = 1; k <= 3; k++) {
                client.send("{\"op\":\"subscribe\",\"id\":\"" + k + "\",\"collection\":\"orders\"}");
            }
            assertThat(client.next())
                    .isEqualTo("{\"id\":\"3\",\"error\":\"a connection has at most 2 subscriptions\"}");
            streamer.stop();
            client.send("{\"op\":\"unsubscribe\",\"id\":\"1\"}");
            client.send("{\"op\":\"subscribe\",\"id\":\"4\",\"collection\":\"orders\"}");
            assertThat(client.next()).startsWith("{\"id\":\"4\",\"error\":\"The Streamer at ");
            assertThat(client.closed).isNotDone();
        }
    }

    @Test
    void aMessageThatIsTooLargeEndsTheWebSocketWholeOrInPieces() throws Exception {
        try (SocketClient whole = socket();
                SocketClient pieces = socket()) {
            whole.socket.sendText("x".repeat(3000), true);
            assertThat(whole.closed.get(20, TimeUnit.SECONDS)).startsWith("1009");
            for (int k = 0; k < 3; k++) {
                pieces.socket.sendText("x".repeat(1000), false).get(20, TimeUnit.SECONDS);
            }
            assertThat(pieces.closed.get(20, TimeUnit.SECONDS)).startsWith("1009");
        }
        await("both seats are free", () -> server.connections() == 0);
    }

    @Test
    void aSlowWebSocketIsCutOff() throws Exception {
        try (Socket slow = new Socket()) {
            slow.setReceiveBufferSize(4096);
            slow.connect(new java.net.InetSocketAddress("127.0.0.1", server.port()));
            slow.getOutputStream().write("""
                            GET /v1/subscribe HTTP/1.1\r
                            Host: 127.0.0.1\r
                            Connection: Upgrade\r
                            Upgrade: websocket\r
                            Sec-WebSocket-Version: 13\r
                            Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r
                            \r
                            """.getBytes(StandardCharsets.US_ASCII));
            slow.getInputStream().readNBytes(12);
            byte[] text =
                    "{\"op\":\"subscribe\",\"id\":\"s\",\"collection\":\"orders\"}".getBytes(StandardCharsets.US_ASCII);
            slow.getOutputStream().write(new byte[] {(byte) 0x81, (byte) (0x80 | text.length), 0, 0, 0, 0});
            slow.getOutputStream().write(text);
            String id = subscription().getId();
            String large = "x".repeat(100_000);
            for (long seq = 1; server.cutOffs() == 0 && seq < 2_000; seq++) {
                streamer.deliver("web", id, large + seq, seq, marker(100));
            }
            assertThat(server.cutOffs()).isOne();
            await("its subscription is gone", () -> streamer.subscriptions.isEmpty() && server.connections() == 0);
        }
    }

    @Test
    void aServerThatEndsTellsItsWebSockets() throws Exception {
        try (SocketClient client = socket()) {
            await("it sits", () -> server.connections() == 1);
            server.close();
            assertThat(client.closed.get(20, TimeUnit.SECONDS)).isEqualTo("1001 come again");
        }
    }

    @Test
    void thePageToTryItIsThere() throws Exception {
        try (var client = java.net.http.HttpClient.newHttpClient()) {
            var page = client.send(
                    java.net.http.HttpRequest.newBuilder(
                                    java.net.URI.create("http://127.0.0.1:" + server.port() + "/try"))
                            .build(),
                    java.net.http.HttpResponse.BodyHandlers.ofString());
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(page.body())
                    .contains("<title>Sluice")
                    .doesNotContain("src=\"http")
                    .doesNotContain("href=\"http");
            assertThat(page.headers().firstValue("content-security-policy").orElse(""))
                    .startsWith("default-src 'none'; connect-src 'self'")
                    .contains("script-src 'sha256-")
                    .doesNotContain("unsafe");
        }
    }
}
