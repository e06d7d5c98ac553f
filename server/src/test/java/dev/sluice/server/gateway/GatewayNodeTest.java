package dev.sluice.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.grpc.ServerSecurity;
import dev.sluice.grpc.StreamerGrpcServer;
import dev.sluice.model.Places;
import dev.sluice.net.ListenAddress;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import dev.sluice.subscribe.ControlPlane;
import dev.sluice.subscribe.GatewayLeases;
import dev.sluice.subscribe.GatewayRegistry;
import dev.sluice.subscribe.Homes;
import dev.sluice.subscribe.InMemorySubscriptions;
import dev.sluice.subscribe.StreamProgress;
import dev.sluice.subscribe.SubscriptionQuotas;
import dev.sluice.subscribe.SubscriptionRegistry;
import dev.sluice.testkit.servers.FreePorts;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node with the role gateway alone: its health, readiness and metrics. The Streamer's control plane is real, its deliveries are played. */
@Timeout(60)
class GatewayNodeTest {
    private static final String[] NAMES = {
        "sluice_gateway_batches_returned_total",
        "sluice_gateway_connections",
        "sluice_gateway_cut_offs_total",
        "sluice_gateway_events_total",
        "sluice_gateway_messages_dropped_total",
        "sluice_gateway_messages_sent_total",
        "sluice_gateway_queued_bytes",
        "sluice_gateway_refused_total",
        "sluice_gateway_resyncs_total",
        "sluice_gateway_streamer_up",
        "sluice_gateway_subscriptions"
    };

    private final int control = FreePorts.take();
    private final InMemorySubscriptions store = new InMemorySubscriptions();
    private final GatewayRegistry gateways = new GatewayRegistry(
            new GatewayLeases(Duration.ofSeconds(1), Duration.ofSeconds(60), 10), store, System::nanoTime);
    private final SubscriptionRegistry subscriptions = new SubscriptionRegistry(
            new SubscriptionQuotas(100, 100, 100),
            store,
            gateways,
            System::nanoTime,
            new Homes(Homes.Unclaimed.WAIT),
            () -> Places.OLDEST,
            InstantSource.system());
    private final HttpClient http = HttpClient.newHttpClient();
    private StreamerGrpcServer streamer;
    private Node node;
    private int seq;

    @BeforeEach
    void start() throws Exception {
        var yaml = """
                puller: {health: {port: 0}, metrics: {port: 0}}
                gateway: {address: ':0', id: web, streamer: '127.0.0.1:%d'}
                """.formatted(control);
        var config = ((Reading.Accepted) ConfigFile.parse(yaml, Map.of())).config();
        node = Node.start(config, EnumSet.of(Role.GATEWAY), "test");
    }

    @AfterEach
    void stop() {
        http.shutdownNow();
        node.close();
        if (streamer != null) {
            streamer.close();
        }
    }

    private void startStreamer() throws Exception {
        var plane = new ControlPlane(subscriptions, gateways, StreamProgress.UNKNOWN);
        streamer = StreamerGrpcServer.start(ListenAddress.loopback(control), ServerSecurity.NONE, plane);
    }

    private static void await(String what, BooleanSupplier reached) throws InterruptedException {
        var end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!reached.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            Thread.sleep(10);
        }
    }

    private HttpResponse<String> admin(String path) {
        return get("http://127.0.0.1:" + node.http().adminPort() + path);
    }

    private HttpResponse<String> get(String url) {
        return send(HttpRequest.newBuilder(URI.create(url)));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    private double value(String name, String... labels) {
        return node.scrape()
                .lines()
                .filter(line -> line.startsWith("sluice_gateway_" + name)
                        && List.of(labels).stream().allMatch(line::contains))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private HttpResponse<InputStream> connect(String query, String... headers) throws Exception {
        var url = "http://127.0.0.1:" + node.gateway().port() + "/v1/events?collection=orders" + query;
        var request = HttpRequest.newBuilder(URI.create(url));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    private String subscribed() throws InterruptedException {
        await("it is subscribed", () -> subscriptions.size() == 1);
        return subscriptions.ofGateway("web").iterator().next().id();
    }

    /** An item of a batch, as the Streamer sends them. */
    private String event(String subscription, String type, int epoch, int bytes) {
        seq++;
        return """
                {"subscriptionId":"%s","event":{"id":"7-%d-%016x","type":"%s","tenant":"","collection":"orders",
                "documentId":"a","document":{"x":"%s"},"updateDescription":null,"timestamp":1,"lookup":false},
                "seq":%d,"partitionId":0,"fencingToken":{"generation":1,"epoch":%d},"redelivery":false}""".formatted(subscription, seq, seq, type, "x".repeat(bytes), seq, epoch);
    }

    private int deliver(String... events) {
        return deliverBatch("{\"events\":[" + String.join(",", events) + "]}");
    }

    private int deliverBatch(String body) {
        var url = gateways.find("web").orElseThrow().address().endpoint() + "/internal/v1/streamer/events";
        return send(HttpRequest.newBuilder(URI.create(url)).POST(HttpRequest.BodyPublishers.ofString(body)))
                .statusCode();
    }

    @Test
    void itIsReadyAndHealthyWhenItsStreamerKnowsItAndSaysWhyNotBefore() throws Exception {
        assertThat(admin("/livez").statusCode()).isEqualTo(200);
        assertThat(admin("/readyz").statusCode()).isEqualTo(503);
        assertThat(admin("/readyz").body()).contains("gateway web has not reached its Streamer yet");
        await("it has tried", () -> admin("/health").body().contains("does not answer"));
        assertThat(admin("/health").statusCode()).isEqualTo(503);
        assertThat(value("streamer_up")).isZero();

        startStreamer();
        await("it is ready", () -> admin("/readyz").statusCode() == 200);
        await("it is healthy", () -> admin("/health").statusCode() == 200);
        assertThat(value("streamer_up")).isEqualTo(1);
        var part = BsonDocument.parse(admin("/health").body())
                .getArray("gateway")
                .getFirst()
                .asDocument();
        assertThat(part.toJson())
                .isEqualTo("{\"name\": \"web\", \"status\": \"healthy\", \"connections\": 0, \"subscriptions\": 0,"
                        + " \"queuedBytes\": 0}");
        var status = BsonDocument.parse(admin("/admin/v1/status").body());
        assertThat(status.keySet()).contains("connections", "endUserSubscriptions", "queuedBytes", "cutOffs");

        streamer.close();
        await("it says so", () -> admin("/health").statusCode() == 503);
        assertThat(admin("/readyz").statusCode())
                .as("its connections are held until the Streamer is back")
                .isEqualTo(200);
        assertThat(admin("/livez").statusCode()).isEqualTo(200);
    }

    @Test
    void itsMetricsAreThese() {
        var names = new TreeSet<String>();
        node.scrape()
                .lines()
                .filter(line -> line.startsWith("# TYPE sluice_gateway_"))
                .forEach(line -> names.add(line.split(" ")[2]));
        assertThat(names).containsExactly(NAMES);
    }

    @Test
    void whatItSendsRefusesAndDropsIsCounted() throws Exception {
        startStreamer();
        await("it is ready", () -> admin("/readyz").statusCode() == 200);
        String id;
        try (var user = connect("").body()) {
            id = subscribed();
            assertThat(value("connections")).isEqualTo(1);
            assertThat(value("subscriptions")).isEqualTo(1);
            var first = event(id, "insert", 2, 1);
            assertThat(deliver(first)).isEqualTo(200);
            assertThat(deliver(first)).isEqualTo(200);
            assertThat(deliver(event("nobody's", "insert", 2, 1))).isEqualTo(200);
            assertThat(deliver(event(id, "resync", 2, 1))).isEqualTo(200);
            assertThat(deliver(event(id, "insert", 1, 1))).isEqualTo(409);
            assertThat(deliverBatch("no JSON")).isEqualTo(400);
            assertThat(deliverBatch("{\"toldBefore\":[\"t\"],\"events\":[" + event("t", "insert", 2, 1) + "]}"))
                    .isEqualTo(503);
            assertThat(deliverBatch("{\"subscriptions\":[{\"id\":\"u\",\"collection\":\"orders\"}],\"events\":["
                            + event("u", "insert", 2, 1) + "]}"))
                    .isEqualTo(200);
            assertThat(value("events_total", "rejected")).isEqualTo(1);
            assertThat(value("events_total", "handled")).isEqualTo(2);
            assertThat(value("events_total", "repeat")).isEqualTo(1);
            assertThat(value("events_total", "unknown")).isEqualTo(1);
            assertThat(value("batches_returned_total", "fenced")).isEqualTo(1);
            assertThat(value("batches_returned_total", "refused")).isEqualTo(1);
            assertThat(value("batches_returned_total", "retried")).isEqualTo(1);
            assertThat(value("resyncs_total")).isEqualTo(1);
            // A message counts as sent when the next is taken.
            deliver(event(id, "insert", 2, 1));
            await("sent", () -> value("messages_sent_total") >= 2);
        }
        assertThat(connect("&filter=nonsense").statusCode()).isEqualTo(400);
        assertThat(value("refused_total", "invalid")).isEqualTo(1);
        assertThat(connect("", "Origin", "https://elsewhere.example.com").statusCode())
                .isEqualTo(403);
        assertThat(value("refused_total", "forbidden")).isEqualTo(1);
        await("it has left, which the next messages tell", () -> {
            deliver(event(id, "insert", 2, 1));
            return value("connections") == 0 && value("subscriptions") == 0;
        });
        aClientThatDoesNotReadIsCutOff();
    }

    private void aClientThatDoesNotReadIsCutOff() throws Exception {
        try (var stuck = new Socket()) {
            stuck.setReceiveBufferSize(4096);
            stuck.connect(new InetSocketAddress("127.0.0.1", node.gateway().port()));
            stuck.getOutputStream()
                    .write("GET /v1/events?collection=orders HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            var id = subscribed();
            var most = 0.0;
            for (var k = 0; k < 100 && value("cut_offs_total") == 0; k++) {
                deliver(event(id, "insert", 2, 1 << 20));
                most = Math.max(most, value("queued_bytes"));
            }
            assertThat(most).as("bytes that waited").isGreaterThan(1 << 20);
            assertThat(value("cut_offs_total")).isEqualTo(1);
            assertThat(value("messages_dropped_total")).isPositive();
            await("nothing waits", () -> value("queued_bytes") == 0);
        }
    }
}
