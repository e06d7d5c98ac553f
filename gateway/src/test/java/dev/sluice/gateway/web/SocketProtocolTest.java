package dev.sluice.gateway.web;

import static dev.sluice.gateway.StandInStreamer.await;
import static dev.sluice.gateway.StandInStreamer.marker;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.StandInStreamer;
import dev.sluice.net.ListenAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Version 1 of the WebSocket protocol: how clients resume; and version 0, for clients from before there were versions. */
@Timeout(60)
class SocketProtocolTest {
    private static final WebLimits QUICK = new WebLimits(9, 9, 9, 2048, 50, 4 << 20, 16 << 20, Duration.ofMillis(100));
    private static final String PING = "{\"ping\":true}";

    private StandInStreamer streamer;
    private GatewayServer server;

    @BeforeEach
    void start() throws Exception {
        streamer = new StandInStreamer();
        server = start(Authenticator.ANYBODY);
    }

    private GatewayServer start(Authenticator authenticator) throws Exception {
        streamer.gateways.clear();
        GatewayServer started = GatewayServer.start(
                Gateway.builder("web").streamer(streamer.address()),
                WebOptions.DEFAULT.at(ListenAddress.loopback(0)).within(QUICK).authenticatedBy(authenticator));
        await("it is registered", () -> streamer.gateways.containsKey("web"));
        return started;
    }

    @AfterEach
    void stop() {
        server.close();
        streamer.close();
    }

    private SocketClient socket() throws Exception {
        return new SocketClient(server.port(), "");
    }

    /** A client that has said hello. */
    private SocketClient greeted() throws Exception {
        SocketClient client = socket();
        client.send("{\"op\":\"hello\",\"version\":1}");
        assertThat(client.next()).isEqualTo("{\"hello\":true,\"version\":1,\"pingMillis\":100}");
        return client;
    }

    private static void subscribe(SocketClient client, String id, String more) throws Exception {
        client.send("{\"op\":\"subscribe\",\"id\":\"" + id + "\",\"collection\":\"orders\"" + more + "}");
    }

    private static String resuming(String lastEventId) {
        return ",\"lastEventId\":\"" + lastEventId + '"';
    }

    /** The next message that is more than a sign of life or an id: on a slow machine these come at any time. */
    private static String next(SocketClient client) throws Exception {
        String message = client.next();
        return message.equals(PING) || message.matches("\\{\"id\":\"\\w+\",\"progress\":\"[^\"]+\"}")
                ? next(client)
                : message;
    }

    private void deliver(String subscription, int seq) throws Exception {
        assertThat(streamer.deliver("web", subscription, "a", seq, marker(100 + seq)))
                .startsWith("200 ");
    }

    private String lastRegistered(int count) throws Exception {
        await(count + " registrations", () -> streamer.registrations.size() == count);
        return streamer.registrations.getLast().getId();
    }

    @Test
    void everyMessageBringsTheIdToResumeFrom() throws Exception {
        try (SocketClient client = greeted()) {
            subscribe(client, "mine", "");
            assertThat(next(client))
                    .isEqualTo("{\"id\":\"mine\",\"subscribed\":true,\"progress\":\"" + marker(100) + "\"}");
            deliver(lastRegistered(1), 1);
            assertThat(next(client))
                    .startsWith("{\"id\":\"mine\",\"event\":{\"id\":\"7-1-0000000000000001\"")
                    .endsWith("},\"progress\":\"" + marker(101) + "\"}");
            streamer.deliverResync("web", lastRegistered(1), 2, marker(102));
            assertThat(next(client))
                    .isEqualTo("{\"id\":\"mine\",\"resync\":true,\"reason\":\"changes are missing\",\"progress\":\""
                            + marker(102) + "\"}");
        }
    }

    @Test
    void aClientThatComesAgainWithItsLastIdGoesOnThereAndAskingTwiceIsNoSecondSubscription() throws Exception {
        try (SocketClient client = greeted()) {
            subscribe(client, "mine", resuming(marker(77)));
            assertThat(next(client)).contains("\"subscribed\":true", marker(77));
            assertThat(streamer.registrations.getFirst().getFrom()).isEqualTo(marker(77));
            subscribe(client, "mine", resuming(marker(78)));
            assertThat(next(client)).contains("\"subscribed\":true", marker(78));
            assertThat(streamer.subscriptions).hasSize(1);
            assertThat(streamer.registrations.getLast().getFrom()).isEqualTo(marker(78));
        }
    }

    /** A client may believe that a subscription lives only if it does. */
    @Test
    void aSubscriptionWhoseReplacementIsRefusedGoesOnAndSaysThatChangesAreMissing() throws Exception {
        try (SocketClient client = greeted()) {
            subscribe(client, "mine", "");
            next(client);
            String first = lastRegistered(1);
            streamer.answersAreLost = true;
            streamer.whenRegistered = () -> {
                deliver(streamer.registrations.getLast().getId(), 1);
                deliver(first, 1);
                return "";
            };
            subscribe(client, "mine", "");
            assertThat(next(client)).startsWith("{\"id\":\"mine\",\"event\":");
            assertThat(next(client))
                    .startsWith("{\"id\":\"mine\",\"resync\":true,\"reason\":\"changes are missing: ")
                    .endsWith("\"progress\":\"" + marker(101) + "\"}");
            assertThat(next(client)).startsWith("{\"id\":\"mine\",\"error\":").endsWith("\"retry\":true}");
            deliver(first, 2);
            assertThat(next(client)).startsWith("{\"id\":\"mine\",\"event\":").contains(marker(102));
            await(
                    "the first alone is left",
                    () -> streamer.subscriptions.keySet().equals(Set.of(first)));
            assertThat(server.web().resyncs()).isOne();
        }
    }

    @Test
    void aSubscriptionUnderAnIdInUseReplacesTheOneBefore() throws Exception {
        try (SocketClient client = greeted()) {
            subscribe(client, "mine", "");
            next(client);
            String first = lastRegistered(1);
            streamer.whenRegistered = () -> {
                deliver(streamer.registrations.getLast().getId(), 1);
                deliver(first, 1);
                return "";
            };
            subscribe(client, "mine", resuming(marker(10)));
            assertThat(next(client)).startsWith("{\"id\":\"mine\",\"event\":").contains(marker(101));
            // It says nothing that may be older, and the id is the new one's.
            assertThat(next(client))
                    .isEqualTo("{\"id\":\"mine\",\"subscribed\":true,\"progress\":\"" + marker(10) + "\"}");
            await("the first is gone", () -> !streamer.subscriptions.containsKey(first));
            deliver(lastRegistered(2), 2);
            assertThat(next(client)).startsWith("{\"id\":\"mine\",\"event\":").contains(marker(102));
        }
    }

    /** Each subscription resumes from its own id. */
    @Test
    void anOldIdOfOneSubscriptionSetsBackNoOtherOfTheSameConnection() throws Exception {
        try (SocketClient client = greeted()) {
            subscribe(client, "old", resuming(marker(10)));
            next(client);
            subscribe(client, "new", resuming(marker(200)));
            next(client);
            deliver(lastRegistered(2), 1);
            assertThat(next(client))
                    .startsWith("{\"id\":\"new\",\"event\":")
                    .endsWith("\"progress\":\"" + marker(200) + "\"}");
            deliver(streamer.registrations.getFirst().getId(), 1);
            assertThat(next(client))
                    .startsWith("{\"id\":\"old\",\"event\":")
                    .endsWith("\"progress\":\"" + marker(101) + "\"}");
        }
    }

    @Test
    void anIdOlderThanWhatIsKeptIsAnsweredByResyncAndChangesFromNowFollow() throws Exception {
        streamer.oldest = 50;
        try (SocketClient client = greeted()) {
            subscribe(client, "mine", resuming(marker(10)));
            assertThat(next(client))
                    .isEqualTo("{\"id\":\"mine\",\"resync\":true,\"reason\":\"older than what is kept\",\"progress\":\""
                            + marker(100) + "\"}");
            assertThat(next(client)).startsWith("{\"id\":\"mine\",\"subscribed\":true");
            assertThat(server.web().resyncs()).isOne();
            assertThat(streamer.registrations.getFirst().getFrom()).isEmpty();
            deliver(lastRegistered(1), 1);
            assertThat(next(client)).contains("\"event\":", marker(101));
        }
    }

    @Test
    void anIdThatIsNoneIsRefusedAndOneThatIsTooLongEndsTheConnection() throws Exception {
        try (SocketClient client = greeted()) {
            subscribe(client, "mine", resuming("nonsense"));
            assertThat(next(client))
                    .startsWith("{\"id\":\"mine\",\"error\":\"")
                    .contains("marker")
                    .doesNotContain("\"retry\"");
            subscribe(client, "mine", ",\"lastEventId\":7");
            assertThat(next(client)).startsWith("{\"id\":\"mine\",\"error\":\"").contains("marker");
            assertThat(streamer.registrations).isEmpty();
            subscribe(client, "mine", resuming("x".repeat(2048)));
            assertThat(client.closed.get(20, TimeUnit.SECONDS)).startsWith("1009 ");
        }
    }

    @Test
    void anIdleClientLearnsTheNewestIdAndThatTheConnectionLives() throws Exception {
        try (SocketClient client = greeted()) {
            subscribe(client, "mine", "");
            assertThat(next(client)).contains("\"subscribed\":true", marker(100));
            streamer.progress = marker(170);
            String moved = client.next();
            while (moved.equals(PING)) {
                moved = client.next();
            }
            assertThat(moved).isEqualTo("{\"id\":\"mine\",\"progress\":\"" + marker(170) + "\"}");
            // Once is enough: what follows is nothing but signs of life.
            assertThat(client.next()).isEqualTo(PING);
            assertThat(client.next()).isEqualTo(PING);
        }
    }

    @Test
    void anUnknownVersionIsRefusedByName() throws Exception {
        try (SocketClient client = socket()) {
            client.send("{\"op\":\"hello\",\"version\":2}");
            assertThat(client.next())
                    .isEqualTo("{\"id\":\"\",\"error\":\"this gateway does not speak version \\\"2\\\" of the WebSocket"
                            + " protocol: say hello with \\\"version\\\":1\"}");
        }
    }

    @Test
    void whatMaySucceedLaterSaysSo() throws Exception {
        try (SocketClient client = greeted()) {
            streamer.stop();
            subscribe(client, "mine", "");
            assertThat(next(client))
                    .startsWith("{\"id\":\"mine\",\"error\":\"The Streamer at ")
                    .endsWith("\",\"retry\":true}");
            streamer.startAgain();
            subscribe(client, "mine", "");
            String answer = next(client);
            while (answer.contains("\"retry\":true")) {
                subscribe(client, "mine", "");
                answer = next(client);
            }
            assertThat(answer).startsWith("{\"id\":\"mine\",\"subscribed\":true");
        }
    }

    @Test
    void aQuotaThatIsUsedUpMayHaveRoomLater() throws Exception {
        try (SocketClient client = greeted()) {
            streamer.full = true;
            streamer.refusal = "the gateway has 2 subscriptions, its most";
            subscribe(client, "mine", "");
            assertThat(next(client)).contains("its most").endsWith("\",\"retry\":true}");
            streamer.refusal = "";
            subscribe(client, "mine", "");
            assertThat(next(client)).startsWith("{\"id\":\"mine\",\"subscribed\":true");
        }
    }

    /** A client written by hand need not say hello. */
    @Test
    void theMemberLastEventIdAsksForVersionOneToo() throws Exception {
        try (SocketClient client = socket()) {
            subscribe(client, "mine", resuming(""));
            assertThat(next(client)).startsWith("{\"id\":\"mine\",\"subscribed\":true,\"progress\":\"");
        }
    }

    /** To the byte, as clients of 0.1 know them: a message of another kind would break them. */
    @Test
    void clientsFromBeforeThereWereVersionsGetTheMessagesTheyKnow() throws Exception {
        try (SocketClient client = socket()) {
            subscribe(client, "mine", ",\"tenant\":\"acme\",\"filter\":{\"n\":1},\"version\":\"mine\"");
            deliver(lastRegistered(1), 1);
            assertThat(client.next())
                    .isEqualTo("{\"id\":\"mine\",\"event\":{\"id\":\"7-1-0000000000000001\",\"type\":\"update\","
                            + "\"tenant\":\"acme\",\"collection\":\"orders\",\"documentId\":\"a\","
                            + "\"document\":{\"_id\": \"a\", \"n\": 1},\"updateDescription\":null,"
                            + "\"timestamp\":1001,\"lookup\":false}}");
            // The time for some idle messages, which version 1 would send here.
            streamer.progress = marker(170);
            int beats = streamer.beats;
            await("the gateway knows of it", () -> streamer.beats > beats + 2);
            streamer.deliverResync("web", lastRegistered(1), 2, marker(300));
            assertThat(client.next()).isEqualTo("{\"id\":\"mine\",\"resync\":true}");
            subscribe(client, "mine", ",\"filter\":{\"$where\":1}");
            assertThat(client.next())
                    .startsWith("{\"id\":\"mine\",\"error\":\"")
                    .endsWith("\"}");
        }
    }

    @Test
    void aRequestWithoutAnUpgradeLearnsWhyAWebSocketWouldBeRefused() throws Exception {
        server.close();
        server = start(token -> {
            if (!token.equals(Optional.of("good"))) {
                throw RefusedException.unauthenticated("that is no token of ours");
            }
            return new Caller("ann", Optional.empty(), Optional.of(Instant.MAX));
        });
        try (HttpClient http = HttpClient.newHttpClient()) {
            assertThat(ask(http, "?access_token=good")).isEqualTo("426 open a WebSocket");
            assertThat(ask(http, "?access_token=bad")).isEqualTo("401 that is no token of ours");
            assertThat(ask(http, "?access_token=good", "Origin", "https://evil.example.com"))
                    .startsWith("403 pages of this origin may not read here");
        }
    }

    private String ask(HttpClient http, String query, String... headers) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/subscribe" + query));
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.headers().firstValue("access-control-allow-origin")).contains("*");
        return answer.statusCode() + " " + answer.body().strip();
    }
}
