package dev.sluice.gateway.web;

import static dev.sluice.gateway.StandInStreamer.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.StandInStreamer;
import dev.sluice.net.ListenAddress;
import java.net.http.WebSocketHandshakeException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that asks for tokens. */
@Timeout(60)
class AuthenticatedServerTest {
    private static final WebLimits QUICK =
            new WebLimits(10, 10, 10, 2048, 50, 1 << 20, 4 << 20, Duration.ofMillis(100));

    private StandInStreamer streamer;
    private GatewayServer server;

    @BeforeEach
    void start() {
        streamer = new StandInStreamer();
        WebOptions options = WebOptions.DEFAULT
                .at(ListenAddress.loopback(0))
                .within(QUICK)
                .authenticatedBy(JwtAuthenticator.hs256(Tokens.SECRET, Clock.systemUTC()));
        server = GatewayServer.start(Gateway.builder("web").streamer(streamer.address()), options);
    }

    @AfterEach
    void stop() {
        server.close();
        streamer.close();
    }

    private static String token(Duration valid) throws Exception {
        return Tokens.hs256("{\"sub\":\"ann\",\"tenant\":\"acme\",\"exp\":"
                + Instant.now().plus(valid).getEpochSecond() + "}");
    }

    @Test
    void withoutATokenNobodyHearsAnything() throws Exception {
        try (SseClient client = new SseClient(server.port(), "collection=orders")) {
            assertThat(client.status()).isEqualTo(401);
        }
        assertThatThrownBy(() -> new SocketClient(server.port(), "").close())
                .hasCauseInstanceOf(WebSocketHandshakeException.class)
                .cause()
                .extracting(e -> ((WebSocketHandshakeException) e).getResponse().statusCode())
                .isEqualTo(401);
        assertThat(streamer.registrations).isEmpty();
        assertThat(server.web().refusals(WebCounters.Refusal.UNAUTHENTICATED)).isEqualTo(2);
    }

    @Test
    void theTokensTenantBoundsWhatIsSubscribedInTheHeaderOrTheQuery() throws Exception {
        String bearer = "Bearer " + token(Duration.ofHours(1));
        try (SseClient own = new SseClient(server.port(), "collection=orders", "Authorization", bearer)) {
            assertThat(own.status()).isEqualTo(200);
            await("it is subscribed", () -> streamer.registrations.size() == 1);
            assertThat(streamer.registrations.getFirst().getTenant()).isEqualTo("acme");
        }
        try (SseClient other =
                new SseClient(server.port(), "collection=orders&tenant=umbrella", "Authorization", bearer)) {
            assertThat(other.status()).isEqualTo(403);
        }
        try (SocketClient client = new SocketClient(server.port(), "?access_token=" + token(Duration.ofHours(1)))) {
            client.send("{\"op\":\"subscribe\",\"id\":\"x\",\"tenant\":\"umbrella\",\"collection\":\"orders\"}");
            assertThat(client.next()).isEqualTo("{\"id\":\"x\",\"error\":\"you may not see that tenant\"}");
            client.send("{\"op\":\"subscribe\",\"id\":\"x\",\"collection\":\"orders\"}");
            await("it is subscribed", () -> streamer.registrations.size() == 2);
            assertThat(streamer.registrations.getLast().getTenant()).isEqualTo("acme");
        }
    }

    @Test
    void aConnectionEndsWithItsToken() throws Exception {
        String soon = token(Duration.ofSeconds(4));
        try (SseClient stream = new SseClient(server.port(), "collection=orders&access_token=" + soon);
                SocketClient socket = new SocketClient(server.port(), "?access_token=" + soon)) {
            assertThat(stream.status()).isEqualTo(200);
            assertThat(stream.nextEvent().type()).isEqualTo("end");
            assertThat(socket.closed.get(20, TimeUnit.SECONDS)).isEqualTo("1008 your token has expired");
        }
    }
}
