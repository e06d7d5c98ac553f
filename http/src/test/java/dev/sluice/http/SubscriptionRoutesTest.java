package dev.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.JsonText;
import dev.sluice.deliver.Protocol;
import dev.sluice.model.Places;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.ControlPlane;
import dev.sluice.subscribe.GatewayLeases;
import dev.sluice.subscribe.GatewayRegistry;
import dev.sluice.subscribe.Homes;
import dev.sluice.subscribe.InMemorySubscriptions;
import dev.sluice.subscribe.StreamProgress;
import dev.sluice.subscribe.SubscriptionQuotas;
import dev.sluice.subscribe.SubscriptionRegistry;
import dev.sluice.testkit.contract.HostileFilters;
import io.helidon.webserver.WebServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SubscriptionRoutesTest {
    private static final SubscriptionQuotas QUOTAS = new SubscriptionQuotas(600, 900, 1000);

    private final InMemorySubscriptions store = new InMemorySubscriptions();
    private final GatewayRegistry gateways = new GatewayRegistry(GatewayLeases.DEFAULT, store, System::nanoTime);
    private final SubscriptionRegistry subscriptions = new SubscriptionRegistry(
            QUOTAS,
            store,
            gateways,
            System::nanoTime,
            new Homes(Homes.Unclaimed.WAIT),
            () -> Places.OLDEST,
            InstantSource.system());
    private final ControlPlane control = new ControlPlane(subscriptions, gateways, new StreamProgress() {
        @Override
        public String head() {
            return "head";
        }

        @Override
        public String lowWater(String gatewayId) {
            return "low-water-of-" + gatewayId;
        }
    });
    private final WebServer server = WebServer.builder()
            .address(InetAddress.getLoopbackAddress())
            .shutdownHook(false)
            .routing(routing ->
                    routing.register(SubscriptionRoutes.PATH, new SubscriptionRoutes(control, Duration.ofSeconds(1))))
            .build()
            .start();
    private final HttpClient client = HttpClient.newHttpClient();

    @AfterEach
    void stop() {
        client.close();
        server.stop();
    }

    private record Answer(int status, BsonDocument json) {
        String error() {
            return json.getString("error").getValue();
        }
    }

    private Answer call(String method, String path, BodyPublisher body) throws IOException, InterruptedException {
        URI uri = URI.create("http://localhost:" + server.port() + "/internal/v1" + path);
        HttpResponse<String> response =
                client.send(HttpRequest.newBuilder(uri).method(method, body).build(), BodyHandlers.ofString());
        assertThat(response.headers().firstValue("content-type")).contains("application/json");
        return new Answer(response.statusCode(), BsonDocument.parse(response.body()));
    }

    private Answer post(String body) throws IOException, InterruptedException {
        return call("POST", "/subscriptions", BodyPublishers.ofString(body));
    }

    private Answer put(String path) throws IOException, InterruptedException {
        return call("PUT", path, BodyPublishers.noBody());
    }

    @Test
    void oneObjectIsRegisteredWithAllItsFieldsAndListedAgain() throws Exception {
        String from = ProgressMarker.NOWHERE.encode();
        String json =
                "{\"id\":\"a/b ü\",\"gatewayId\":\"g\",\"tenant\":\"t\",\"collection\":\"c\",\"documentId\":\"d\","
                        + "\"filter\":{\"a\":{\"$gt\":{\"$date\":\"2026-01-01T00:00:00Z\"}}},\"priority\":\"low\",\"ttl\":\"2m\","
                        + "\"from\":\"" + from + "\",\"failover\":true,\"transitions\":true}";
        assertThat(post(json))
                .isEqualTo(new Answer(
                        200, BsonDocument.parse("{\"progress\":\"" + from + "\",\"revision\":1,\"refusals\":[]}")));
        Subscription kept = subscriptions.find("a/b ü").orElseThrow();
        assertThat(kept.documentId()).contains("d");
        assertThat(kept.priority()).isEqualTo(Priority.LOW);
        assertThat(kept.ttl()).isEqualTo(Duration.ofMinutes(2));
        assertThat(kept.from()).as("its start stands for it").isEmpty();
        assertThat(kept.failover()).isTrue();
        assertThat(kept.transitions()).isTrue();
        Answer list = call("GET", "/subscriptions?gatewayId=g", BodyPublishers.noBody());
        BsonDocument shown = list.json.getArray("subscriptions").getFirst().asDocument();
        assertThat(shown.getString("ttl").getValue()).isEqualTo("120s");
        assertThat(post(shown.toJson()).status)
                .as("what is listed can be sent again")
                .isEqualTo(200);
        assertThat(subscriptions.find("a/b ü")).contains(kept);
        assertThat(put("/subscriptions/a%2Fb%20%C3%BC/heartbeat").json)
                .isEqualTo(BsonDocument.parse("{\"progress\":\"low-water-of-g\"}"));
        assertThat(call("DELETE", "/subscriptions/a%2Fb%20%C3%BC", BodyPublishers.noBody()).status)
                .isEqualTo(200);
        assertThat(subscriptions.size()).isZero();
    }

    @Test
    void anArrayKeepsTheGoodOnesAndNamesTheBad() throws Exception {
        Answer answer = post("[{\"id\":\"a\",\"collection\":\"c\"},"
                + "{\"id\":\"b\",\"collection\":\"c\",\"filter\":{\"$where\":1}},"
                + "{\"id\":\"c\",\"colection\":\"c\"},7,"
                + "{\"id\":\"d\",\"collection\":\"c\",\"ttl\":\"soon\"},"
                + "{\"id\":5,\"collection\":\"c\"},"
                + "{\"id\":\"e\",\"collection\":\"c\",\"filter\":\"{'a':1}\",\"ttl\":60,\"documentId\":null}]");
        assertThat(answer.status).isEqualTo(200);
        List<BsonValue> refusals = answer.json.getArray("refusals");
        assertThat(refusals.stream().map(r -> r.asDocument().getNumber("index").intValue()))
                .containsExactly(1, 2, 3, 4, 5);
        assertThat(refusals.stream().map(r -> r.asDocument().getString("reason").getValue()))
                .satisfiesExactly(
                        reason -> assertThat(reason).contains("$where"),
                        reason -> assertThat(reason).contains("\"colection\""),
                        reason -> assertThat(reason).contains("a JSON object"),
                        reason -> assertThat(reason).contains("ttl"),
                        reason -> assertThat(reason).contains("id is a text"));
        assertThat(subscriptions.find("a")).isPresent();
        assertThat(subscriptions.find("e").orElseThrow().ttl()).isEqualTo(Duration.ofSeconds(60));
        assertThat(subscriptions.find("e").orElseThrow().documentId()).isEqualTo(Optional.empty());
        Answer list = call("GET", "/subscriptions", BodyPublishers.noBody());
        assertThat(list.json.getArray("subscriptions")).hasSize(2);
    }

    @Test
    void namesWithControlCharactersAre400WithTheReason() throws Exception {
        for (String name : List.of("\\u0002a", "\\u00015", "a\\nb", "\\u0000")) {
            Answer answer = post("{\"id\":\"a\",\"gatewayId\":\"" + name + "\",\"collection\":\"c\"}");
            assertThat(answer.status).isEqualTo(400);
            assertThat(answer.error()).contains("a subscription's gateway id has no control characters");
            answer = post("{\"id\":\"" + name + "\",\"gatewayId\":\"g\",\"collection\":\"c\"}");
            assertThat(answer.status).isEqualTo(400);
            assertThat(answer.error()).contains("a subscription's id has no control characters");
        }
        assertThat(subscriptions.size()).isZero();
    }

    @Test
    void oneWithABadFilterIs400WithTheReasonAndWhichItIs() throws Exception {
        Answer answer = post("{\"id\":\"a\",\"collection\":\"c\",\"filter\":{\"a\":{\"$regex\":\"b\"}}}");
        assertThat(answer.status).isEqualTo(400);
        assertThat(answer.error()).startsWith("subscription 0 \"a\": ").contains("anchored prefix");
    }

    @Test
    void beyondTheQuotaIs429() throws Exception {
        String batch = IntStream.range(0, 601)
                .mapToObj(k -> "{\"id\":\"s" + k + "\",\"gatewayId\":\"g\",\"collection\":\"c\"}")
                .collect(Collectors.joining(",", "[", "]"));
        Answer answer = post(batch);
        assertThat(answer.status).as("most were taken").isEqualTo(200);
        assertThat(answer.json.getArray("refusals")).hasSize(1);
        answer = post("{\"id\":\"more\",\"gatewayId\":\"g\",\"collection\":\"c\"}");
        assertThat(answer.status).isEqualTo(429);
        assertThat(answer.error()).contains("the most one gateway may have");
    }

    @Test
    void bodiesThatAreNoSubscriptionsAre400() throws Exception {
        String deep =
                "{\"id\":\"a\",\"collection\":\"c\",\"filter\":" + "{\"a\":".repeat(30_000) + "1" + "}".repeat(30_001);
        for (String body : List.of(
                "",
                "{",
                "7",
                "\"x\"",
                "null",
                "[1,2",
                "{}",
                "[{}]",
                "[],\"b\":1",
                "{} {}",
                "[] []",
                "[[[[]]]]",
                deep,
                "[".repeat(100_000),
                "{\"id\":\"a\",\"collection\":\"c\",\"id\":{\"$oid\":\"z\"}}")) {
            Answer answer = post(body);
            assertThat(answer.status)
                    .as(body.length() > 50 ? "a long one" : body)
                    .isEqualTo(400);
            assertThat(answer.error()).isNotBlank().hasSizeLessThan(400);
        }
        assertThat(post("[]").status).as("nothing to do").isEqualTo(200);
        Answer bytes = call("POST", "/subscriptions", BodyPublishers.ofByteArray(new byte[] {'{', (byte) 0xFF, '}'}));
        assertThat(bytes.status).isEqualTo(400);
        assertThat(bytes.error()).contains("UTF-8");
        assertThat(subscriptions.size()).isZero();
    }

    @Test
    void aBodyThatIsTooLargeIs413WhetherItSaysSoOrNot() throws Exception {
        byte[] large = ("[\"" + "x".repeat(RequestBody.LONGEST) + "\"]").getBytes(StandardCharsets.UTF_8);
        assertThat(statusOfLarge(BodyPublishers.ofByteArray(large))).isEqualTo(413);
        assertThat(statusOfLarge(BodyPublishers.fromPublisher(BodyPublishers.ofByteArray(large))))
                .isEqualTo(413);
        assertThat(post("{\"id\":\"a\",\"collection\":\"c\"}").status).isEqualTo(200);
    }

    private int statusOfLarge(BodyPublisher body) throws InterruptedException, IOException {
        return call("POST", "/subscriptions", body).status;
    }

    @Test
    void unknownOnesAre404() throws Exception {
        assertThat(put("/subscriptions/x/heartbeat").status).isEqualTo(404);
        assertThat(call("DELETE", "/subscriptions/x", BodyPublishers.noBody()).status)
                .isEqualTo(404);
        assertThat(put("/gateways/x/heartbeat").status).isEqualTo(404);
        assertThat(put("/gateways/x/y").status).isEqualTo(404);
        assertThat(put("/subscriptions/x").status).isEqualTo(404);
        assertThat(put("/subscriptions/x/heartbeat/y").status).isEqualTo(404);
    }

    @Test
    void gatewaysRegisterBeatAndGiveUpTheirSubscriptions() throws Exception {
        Answer answer = call(
                "PUT",
                "/gateways/g",
                BodyPublishers.ofString("{\"endpoint\":\"http://localhost:1\",\"protocol\":\"http\"}"));
        assertThat(answer).isEqualTo(new Answer(200, BsonDocument.parse("{\"leaseSeconds\":30}")));
        assertThat(gateways.find("g").orElseThrow().address().protocol()).isEqualTo(Protocol.HTTP);
        assertThat(put("/gateways/g/heartbeat").status).isEqualTo(200);
        post("[{\"id\":\"a\",\"gatewayId\":\"g\",\"collection\":\"c\"},{\"id\":\"b\",\"collection\":\"c\"}]");
        assertThat(call("DELETE", "/gateways/g/subscriptions", BodyPublishers.noBody()).json)
                .isEqualTo(BsonDocument.parse("{\"removed\":1}"));
        assertThat(call("DELETE", "/gateways/g", BodyPublishers.noBody()).json)
                .isEqualTo(BsonDocument.parse("{\"removed\":1}"));
        assertThat(gateways.find("g")).isEmpty();
        assertThat(call("DELETE", "/gateways/g", BodyPublishers.noBody()).error())
                .contains("no such gateway");
        assertThat(call("DELETE", "/gateways/g/x", BodyPublishers.noBody()).status)
                .isEqualTo(404);
        for (String bad : List.of(
                "{}",
                "[]",
                "{\"endpoint\":\"x\",\"protocol\":\"x\"}",
                "{\"endpoint\":1,\"protocol\":\"http\"}",
                "{\"endpoint\":\"http://localhost:1\",\"understandsExcept\":1}",
                "{\"a\":1}")) {
            assertThat(call("PUT", "/gateways/h", BodyPublishers.ofString(bad)).status)
                    .as(bad)
                    .isEqualTo(400);
        }
        assertThat(gateways.size()).isZero();
        call(
                "PUT",
                "/gateways/new",
                BodyPublishers.ofString("{\"endpoint\":\"http://localhost:2\",\"understandsExcept\":true}"));
        assertThat(gateways.find("new").orElseThrow().address().understandsExcept())
                .isTrue();
        call("PUT", "/gateways/silent", BodyPublishers.ofString("{\"endpoint\":\"http://localhost:2\"}"));
        assertThat(gateways.find("silent").orElseThrow().address().protocol())
                .as("who does not say")
                .isEqualTo(Protocol.HTTP);
        assertThat(gateways.find("silent").orElseThrow().address().understandsExcept())
                .isFalse();
    }

    @Test
    void listsComeInPages() throws Exception {
        post(IntStream.range(0, 25)
                .mapToObj(k -> "{\"id\":\"s &" + k + "\",\"collection\":\"c\"}")
                .collect(Collectors.joining(",", "[", "]")));
        List<String> ids = new ArrayList<>();
        String token = "";
        do {
            Answer page = call(
                    "GET",
                    "/subscriptions?pageSize=10&pageToken=" + URLEncoder.encode(token, StandardCharsets.UTF_8),
                    BodyPublishers.noBody());
            page.json
                    .getArray("subscriptions")
                    .forEach(each -> ids.add(each.asDocument().getString("id").getValue()));
            token = page.json.getString("nextPageToken").getValue();
        } while (!token.isEmpty());
        assertThat(ids).hasSize(25).doesNotHaveDuplicates();
        for (String bad : List.of("0", "1001", "x", "-1", "99999999999")) {
            assertThat(call("GET", "/subscriptions?pageSize=" + bad, BodyPublishers.noBody()).status)
                    .as(bad)
                    .isEqualTo(400);
        }
    }

    @Test
    void hostileFiltersAreRefusedInASentenceOrWork() throws Exception {
        HostileFilters filters = new HostileFilters(23);
        int refused = 0;
        for (int k = 0; k < 300; k++) {
            String filter = filters.next();
            StringBuilder json = new StringBuilder("{\"id\":\"hostile\",\"collection\":\"c\",\"filter\":");
            if (k % 2 == 0) {
                JsonText.quote(filter, json);
            } else {
                json.append(filter);
            }
            Answer answer = post(json.append('}').toString());
            assertThat(answer.status)
                    .as(filter.substring(0, Math.min(80, filter.length())))
                    .isIn(200, 400);
            if (answer.status == 400) {
                refused++;
                assertThat(answer.error())
                        .isNotBlank()
                        .hasSizeLessThan(400)
                        .doesNotContainPattern("[a-z]Exception|Error:");
            }
        }
        assertThat(refused).isBetween(100, 299);
    }

    @Test
    void whoSendsSlowlyIsCutOffAndTheOthersDoNotNotice() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int k = 0; k < 20; k++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
                slow.add(socket);
                socket.getOutputStream()
                        .write(
                                ("POST /internal/v1/subscriptions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{")
                                        .getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(post("{\"id\":\"a\",\"collection\":\"c\"}").status).isEqualTo(200);
            for (Socket socket : slow) {
                assertThat(trickle(socket)).as("408, or the connection is gone").isIn("HTTP/1.1 408", "");
            }
            assertThat(put("/subscriptions/a/heartbeat").status).isEqualTo(200);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    /** A byte now and then until somebody answers. */
    private static String trickle(Socket socket) throws IOException {
        socket.setSoTimeout(100);
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        while (true) {
            try {
                out.write(' ');
                byte[] answer = in.readNBytes(12);
                return new String(answer, StandardCharsets.US_ASCII);
            } catch (SocketTimeoutException nothingYet) {
                // Once more.
            } catch (SocketException gone) {
                return "";
            }
        }
    }
}
