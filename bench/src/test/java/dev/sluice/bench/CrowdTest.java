package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** A few clients at real servers: the gateway and the bare server of the benchmark send them the same events. */
class CrowdTest {
    private static final int CLIENTS = 60;
    private static final int SECONDS = 20;
    private static final Duration PING = Duration.ofSeconds(10);

    private final ClientProtocol webSocket = new WebSocketProtocol(false);
    private final ClientProtocol sse = new SseProtocol();

    @Test
    void theGatewaySendsEveryClientEveryEventAndWhatItMissed() throws Exception {
        try (Crowd crowd = new Crowd(CLIENTS);
                BenchStreamer streamer = new BenchStreamer();
                EndUserServer server = new SluiceGateway(streamer.address(), CLIENTS, PING)) {
            DeliverySide side = new DeliverySide.OfGateway(streamer);
            crowd.await("registers", SECONDS, () -> !side.address().isEmpty());
            try (GatewayFeed feed = new GatewayFeed(side.address())) {
                messages(
                        crowd,
                        server,
                        feed,
                        side.encoding(webSocket),
                        webSocket,
                        1,
                        () -> streamer.registrations() == CLIENTS);
                assertThat(server.connections()).isEqualTo(CLIENTS);
                crowd.disconnect();
                streamer.headIs(3);
                messages(
                        crowd, server, feed, side.encoding(sse), sse, 4, () -> streamer.registrations() == 2 * CLIENTS);
                streamer.headIs(9);
                crowd.counts().expect(9);
                crowd.reconnect(address(server), sse);
                side.resume(feed, sse, 9, () -> crowd.counts().finishedClients() == CLIENTS || crowd.hasFailed());
                crowd.await("resumes", SECONDS, () -> crowd.counts().finishedClients() == CLIENTS);
                crowd.counts().verify();
            }
        }
    }

    @Test
    void theBareServerDoesTheSame() throws Exception {
        try (Crowd crowd = new Crowd(CLIENTS);
                EndUserServer server = new BareEndUserServer(CLIENTS, PING);
                GatewayFeed feed = new GatewayFeed("http://127.0.0.1:" + server.port())) {
            messages(
                    crowd,
                    server,
                    feed,
                    new DeliveryEncoding.ForBareServer(webSocket),
                    webSocket,
                    1,
                    () -> made(server) == CLIENTS);
            assertThat(server.connections()).isEqualTo(CLIENTS);
            crowd.disconnect();
            server.answer(new String[] {"head", "3"});
            messages(
                    crowd,
                    server,
                    feed,
                    new DeliveryEncoding.ForBareServer(sse),
                    sse,
                    4,
                    () -> made(server) == 2 * CLIENTS);
            server.answer(new String[] {"head", "9"});
            crowd.counts().expect(9);
            crowd.reconnect(address(server), sse);
            crowd.await("resumes", SECONDS, () -> crowd.counts().finishedClients() == CLIENTS);
            crowd.counts().verify();
        }
    }

    private static int made(EndUserServer server) {
        return Integer.parseInt(server.answer(new String[] {"subscriptions"}));
    }

    private static InetSocketAddress address(EndUserServer server) {
        return new InetSocketAddress("127.0.0.1", server.port());
    }

    /** New clients get three events. */
    private static void messages(
            Crowd crowd,
            EndUserServer server,
            GatewayFeed feed,
            DeliveryEncoding encoding,
            ClientProtocol protocol,
            int first,
            Callable<Boolean> subscribed)
            throws Exception {
        crowd.counts().expect(first + 2);
        crowd.connect(address(server), protocol, first - 1);
        crowd.await("subscribes", SECONDS, subscribed);
        feed.broadcast(encoding, first, first + 2, crowd);
        crowd.await("sends", SECONDS, () -> crowd.counts().finishedClients() == CLIENTS);
        assertThat(crowd.counts().receivedEvents()).isEqualTo(3L * CLIENTS);
        crowd.counts().verify();
    }
}
