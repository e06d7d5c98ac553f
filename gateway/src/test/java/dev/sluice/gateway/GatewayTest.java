package dev.sluice.gateway;

import static dev.sluice.gateway.Events.event;
import static dev.sluice.gateway.StandInStreamer.await;
import static dev.sluice.gateway.StandInStreamer.marker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.deliver.EventType;
import dev.sluice.grpc.ServerSecurity;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.net.BindRefusedException;
import dev.sluice.net.ListenAddress;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a gateway stays known to its Streamer, and what it takes. */
@Timeout(60)
class GatewayTest {
    private final List<ReceivedEvent> told = new CopyOnWriteArrayList<>();
    private StandInStreamer streamer;
    private Gateway gateway;

    @BeforeEach
    void start() throws Exception {
        streamer = new StandInStreamer();
        gateway = Gateway.builder("g")
                .streamer(streamer.address())
                .maxBatchBytes(4096)
                .start();
        await("it is registered", () -> streamer.gateways.containsKey("g"));
    }

    @AfterEach
    void stop() {
        gateway.close();
        streamer.close();
    }

    private String subscribe(Subscription subscription) {
        return gateway.subscribe(subscription, told::add);
    }

    private static Subscription orders(String id) {
        return Subscription.of(id, "g", "acme", "orders", "{\"n\": 1}");
    }

    private String send(Incoming... batch) throws Exception {
        try (Sender sender = Sender.http(gateway.address())) {
            return sender.send(batch);
        }
    }

    private boolean isTaken(Incoming event) {
        try {
            return send(event).startsWith("200 ");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void itBeatsAndItsSubscriptionsLearnHowFarTheStreamerGot() throws Exception {
        assertThat(subscribe(orders("s"))).isEqualTo(marker(100));
        streamer.progress = marker(200);
        await("it beats", () -> streamer.beats > 1);
        await("its marker moves", () -> gateway.progress("s").equals(marker(200)));
        assertThat(streamer.subscriptions.get("s").getFilter()).isEqualTo("{\"n\": 1}");
        assertThat(streamer.subscriptions.get("s").getTtlSeconds()).isEqualTo(300);
    }

    @Test
    void aStreamerThatLostEverythingGetsItAgainFromTheLastMarker() throws Exception {
        subscribe(orders("s"));
        streamer.progress = marker(150);
        await("its marker moves", () -> gateway.progress("s").equals(marker(150)));
        streamer.stop();
        streamer.forgetAll();
        streamer.startAgain();
        await("it is there again", () -> streamer.gateways.containsKey("g") && streamer.subscriptions.containsKey("s"));
        assertThat(streamer.registrations.getLast().getFrom()).isEqualTo(marker(150));
        assertThat(told).isEmpty();
    }

    /** Its registry counts from the beginning, under the generation that the coordination store kept. */
    @Test
    void afterAStreamerLostEverythingRevisionsCountAnewAlsoForSubscriptionsOfOthers() throws Exception {
        gateway.close();
        gateway = Gateway.builder("g")
                .streamer(streamer.address())
                .otherwise(told::add)
                .start();
        await("it is registered", gateway::isRegistered);
        subscribe(orders("s"));
        send(Events.of(event("s", "a", 1), 900, "db"), Events.of(event("other", "a", 1), 900, "db"));
        assertThat(told).hasSize(2);
        assertThat(send(Events.of(event("s", "a", 2), 1, "db"))).startsWith("503 ");
        assertThat(send(Events.of(event("other", "a", 2), 1, "db"))).startsWith("503 ");
        streamer.stop();
        streamer.forgetAll();
        streamer.startAgain();
        await("it is there again", () -> streamer.gateways.containsKey("g") && streamer.subscriptions.containsKey("s"));
        for (String id : List.of("s", "other")) {
            await("a low revision is taken for " + id, () -> isTaken(Events.of(event(id, "a", 2), 1, "db")));
        }
        assertThat(told).hasSize(4);
    }

    @Test
    void aSubscriptionTheStreamerLostIsMadeAgainAndToldToResyncWhenItsMarkerIsTooOld() throws Exception {
        subscribe(orders("kept"));
        subscribe(orders("lost"));
        streamer.oldest = 300;
        streamer.subscriptions.remove("lost");
        await("it is told", () -> !told.isEmpty());
        assertThat(told).hasSize(1);
        assertThat(told.getFirst().type()).isEqualTo(EventType.RESYNC);
        assertThat(told.getFirst().subscriptionId()).isEqualTo("lost");
        assertThat(streamer.subscriptions.get("lost").getFrom()).isEmpty();
    }

    @Test
    void aMarkerThatIsTooOldIsSaidAndNothingIsHeld() {
        streamer.oldest = 50;
        Subscription old = orders("s").startingAt(Optional.of(ProgressMarker.decode(marker(10))));
        assertThatThrownBy(() -> subscribe(old)).isInstanceOf(MissedEventsException.class);
        assertThat(gateway.subscriptions()).isZero();
    }

    @Test
    void withAMarkerOfItsOwnItHasNotGotFurtherThanThat() {
        Subscription from = orders("s").startingAt(Optional.of(ProgressMarker.decode(marker(10))));
        assertThat(subscribe(from)).isEqualTo(marker(10));
        assertThat(streamer.subscriptions.get("s").getFrom()).isEqualTo(marker(10));
    }

    @Test
    void aRefusedSubscriptionSaysWhyAndWhatWasThereBeforeStays() throws Exception {
        subscribe(orders("s"));
        streamer.refusal = "the tenant has 50000 subscriptions already";
        assertThatThrownBy(() -> gateway.subscribe(orders("s"), event -> {}))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining(streamer.refusal);
        assertThatThrownBy(() -> subscribe(Subscription.of("t", "g", "", "orders", "{\"$where\": 1}")))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("$where");
        assertThatThrownBy(() -> subscribe(Subscription.of("t", "other", "", "orders", "{}")))
                .hasMessageContaining("another gateway");
        send(event("s", "a", 1));
        assertThat(told).hasSize(1);
    }

    @Test
    void withoutAStreamerSubscribingFailsClearlyAndAnUnsubscribedOneIsNotTold() throws Exception {
        subscribe(orders("s"));
        gateway.ready();
        streamer.stop();
        assertThatThrownBy(() -> subscribe(orders("t"))).isInstanceOf(StreamerUnavailableException.class);
        gateway.unsubscribe("s");
        assertThat(send(event("s", "a", 1))).startsWith("200 ");
        assertThat(told).isEmpty();
        assertThat(gateway.counters().unknown()).isOne();
    }

    @Test
    void aSubscriptionWhoseAnswerWasLostIsToldAndAskedForUntilItIsAnswered() throws Exception {
        gateway.ready();
        streamer.answersAreLost = true;
        assertThatThrownBy(() -> subscribe(orders("s"))).isInstanceOf(StreamerUnavailableException.class);
        assertThat(send(event("s", "a", 1))).startsWith("200 ");
        assertThat(told).hasSize(1);
        streamer.answersAreLost = false;
        streamer.subscriptions.clear();
        await("it is asked for", () -> streamer.subscriptions.containsKey("s"));
        streamer.progress = marker(200);
        await("it is renewed", () -> gateway.progress("s").equals(marker(200)));
        int registrations = streamer.registrations.size();
        int beats = streamer.beats;
        await("it beats", () -> streamer.beats > beats + 1);
        assertThat(streamer.registrations).hasSize(registrations);
    }

    @Test
    void whatWasNotAnsweredAndIsThenRefusedEnds() throws Exception {
        streamer.answersAreLost = true;
        assertThatThrownBy(() -> subscribe(orders("s"))).isInstanceOf(StreamerUnavailableException.class);
        streamer.refusal = "no";
        streamer.answersAreLost = false;
        await("it ends", () -> gateway.subscriptions() == 0);
    }

    /** The caller has not seen what came meanwhile. */
    @Test
    void theMarkerOfASubscriptionIsThatOfItsBeginning() throws Exception {
        Subscription from = orders("s").startingAt(Optional.of(ProgressMarker.decode(marker(10))));
        streamer.whenRegistered = () -> send(event("s", "a", 50));
        assertThat(subscribe(from)).isEqualTo(marker(10));
        assertThat(gateway.progress("s")).isEqualTo(marker(50));
    }

    @Test
    void whoReadsEverythingAgainHoldsUpNoHeartbeat() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        gateway.subscribe(orders("s"), event -> {
            inside.countDown();
            assertThat(go.await(20, TimeUnit.SECONDS)).isTrue();
        });
        streamer.oldest = 300;
        streamer.subscriptions.remove("s");
        assertThat(inside.await(20, TimeUnit.SECONDS)).isTrue();
        int beats = streamer.beats;
        await("it beats", () -> streamer.beats > beats + 1);
        go.countDown();
    }

    @Test
    void renewalsThatTakeLongHoldUpNoHeartbeat() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        streamer.whenRenewed = () -> {
            inside.countDown();
            return go.await(30, TimeUnit.SECONDS);
        };
        subscribe(orders("s"));
        assertThat(inside.await(20, TimeUnit.SECONDS)).isTrue();
        int beats = streamer.beats;
        await("it beats", () -> streamer.beats > beats + 2);
        assertThat(go.getCount()).isOne();
        go.countDown();
    }

    private void startAgain() throws Exception {
        gateway.close();
        streamer.gateways.clear();
        gateway = Gateway.builder("g")
                .streamer(streamer.address())
                .graceAfterStart(Duration.ofNanos(1))
                .start();
        await("it is registered again", () -> streamer.gateways.containsKey("g"));
        await("what nobody registered here is not waited for", () -> {
            try {
                return send(event("of another gateway", "a", 1)).startsWith("200 ");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** An acknowledgement would lose them. */
    @Test
    void eventsOfItsEarlierSubscriptionsAreSentBackUntilTheApplicationHasMadeThemAgain() throws Exception {
        for (String id : List.of("subscribed", "unsubscribed", "dropped")) {
            subscribe(orders(id));
        }
        startAgain();
        for (String id : List.of("subscribed", "unsubscribed", "dropped")) {
            assertThat(send(event(id, "a", 1))).startsWith("503 ").contains("does not know subscription " + id);
        }
        subscribe(orders("subscribed"));
        assertThat(send(event("subscribed", "a", 1))).startsWith("200 ");
        assertThat(told).hasSize(1);
        gateway.unsubscribe("unsubscribed");
        assertThat(streamer.subscriptions).doesNotContainKey("unsubscribed");
        assertThat(send(event("unsubscribed", "a", 1))).startsWith("200 ");
        assertThat(send(event("dropped", "a", 1))).startsWith("503 ");
        gateway.ready();
        assertThat(send(event("dropped", "a", 1))).startsWith("200 ");
        assertThat(told).hasSize(1);
    }

    @Test
    void eventsForAnotherGatewayThatHadThisAddressBeforeAreSentBack() throws Exception {
        gateway.ready();
        assertThat(postFor("g")).isEqualTo(200);
        assertThat(postFor("another")).isEqualTo(503);
    }

    private int postFor(String gatewayId) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create(gateway.address() + HttpEndpoint.PATH))
                                    .header("X-Sluice-Gateway", gatewayId)
                                    .POST(HttpRequest.BodyPublishers.ofString(Events.body(event("s", "a", 1))))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .statusCode();
        }
    }

    @Test
    void theAnswerComesAfterTheCallback() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        gateway.subscribe(orders("s"), event -> {
            inside.countDown();
            assertThat(go.await(10, TimeUnit.SECONDS)).isTrue();
        });
        CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> {
            try {
                return send(event("s", "a", 1));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(answer).isNotDone();
        go.countDown();
        assertThat(answer.get(10, TimeUnit.SECONDS)).startsWith("200 ");
    }

    @Test
    void aBodyThatIsTooLargeIsRefusedWithOrWithoutSayingItsLength() throws Exception {
        byte[] large = ("{\"events\":[" + " ".repeat(5000) + "]}").getBytes(StandardCharsets.UTF_8);
        assertThat(post(HttpRequest.BodyPublishers.ofByteArray(large)).statusCode())
                .isEqualTo(413);
        assertThat(post(HttpRequest.BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(large)))
                        .statusCode())
                .isEqualTo(413);
        assertThat(post(HttpRequest.BodyPublishers.ofString("{\"events\":[]}")).statusCode())
                .isEqualTo(200);
    }

    private HttpResponse<String> post(HttpRequest.BodyPublisher body) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create(gateway.address() + HttpEndpoint.PATH))
                            .POST(body)
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void sendersThatNeverEndTheirBodiesHoldUpNobody() throws Exception {
        subscribe(orders("s"));
        URI address = URI.create(gateway.address());
        List<Socket> stuck = new ArrayList<>();
        try {
            for (int k = 0; k < 8; k++) {
                Socket socket = new Socket(address.getHost(), address.getPort());
                stuck.add(socket);
                OutputStream out = socket.getOutputStream();
                out.write(("POST " + HttpEndpoint.PATH + " HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\n{")
                        .getBytes(StandardCharsets.US_ASCII));
                out.flush();
            }
            assertThat(send(event("s", "a", 1))).startsWith("200 ");
        } finally {
            for (Socket socket : stuck) {
                socket.close();
            }
        }
    }

    @Test
    void whoKnowsNotTheTokenDeliversNothing() throws Exception {
        ServerSecurity token = new ServerSecurity(null, null, null, "a long secret", false);
        try (Gateway guarded = Gateway.builder("h")
                .streamer(streamer.address())
                .security(token)
                .start()) {
            try (Sender sender = Sender.http(guarded.address())) {
                assertThat(sender.send(event("s", "a", 1))).startsWith("401 ");
            }
        }
    }

    @Test
    void itDoesNotListenWhereStrangersAreWithoutProtection() {
        assertThatThrownBy(() -> Gateway.builder("h")
                        .receiveByHttp(new ListenAddress("0.0.0.0", 0))
                        .start())
                .isInstanceOf(BindRefusedException.class);
    }

    @Test
    void nothingIsSubscribedBeforeTheSubscriptionsOfAnEarlierLifeAreEnded() throws Exception {
        gateway.close();
        streamer.stop();
        gateway = Gateway.builder("g")
                .streamer(streamer.address())
                .forgetEarlierSubscriptions()
                .start();
        assertThatThrownBy(() -> subscribe(orders("s")))
                .isInstanceOf(StreamerUnavailableException.class)
                .hasMessageContaining("not reached its Streamer yet");
        streamer.gateways.clear();
        streamer.startAgain();
        await("it is registered", () -> streamer.gateways.containsKey("g"));
        subscribe(orders("s"));
        int beats = streamer.beats;
        await("it beats", () -> streamer.beats > beats + 1);
        assertThat(streamer.registrations).hasSize(1);
    }

    @Test
    void aGatewayWhoseSubscriptionsEndWithItForgetsThoseOfItsEarlierLife() throws Exception {
        subscribe(orders("s"));
        gateway.close();
        gateway = Gateway.builder("g")
                .streamer(streamer.address())
                .forgetEarlierSubscriptions()
                .start();
        await("it has forgotten", () -> streamer.subscriptions.isEmpty());
        assertThat(send(event("s", "a", 1))).startsWith("200 ");
    }
}
