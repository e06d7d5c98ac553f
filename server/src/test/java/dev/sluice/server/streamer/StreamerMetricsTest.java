package dev.sluice.server.streamer;

import static dev.sluice.server.streamer.StreamerSetup.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.gateway.EventCallback;
import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.RejectedException;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.Operation;
import dev.sluice.model.Subscription;
import dev.sluice.run.Loops;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.http.HealthPart;
import dev.sluice.server.http.LoopHealth;
import dev.sluice.server.http.NodeHttp;
import dev.sluice.stream.ConsumersView;
import dev.sluice.testkit.contract.FeedLog;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class StreamerMetricsTest {
    /** Drafts 000 §9 and 001 §11, each by its mechanical name; and what else an operator must see. */
    private static final String[] NAMES = {
        "sluice_streamer_backpressure_events_total",
        "sluice_streamer_batches_delivered_total",
        "sluice_streamer_caught_up_total",
        "sluice_streamer_checkpoint_errors_total",
        "sluice_streamer_checkpoint_latency_seconds",
        "sluice_streamer_checkpoints_saved_total",
        "sluice_streamer_dead_letters",
        "sluice_streamer_dead_letters_purged_total",
        "sluice_streamer_delivery_errors_total",
        "sluice_streamer_delivery_latency_seconds",
        "sluice_streamer_delivery_retries_total",
        "sluice_streamer_delivery_success_total",
        "sluice_streamer_dlq_events_total",
        "sluice_streamer_events_routed_total",
        "sluice_streamer_fenced_total",
        "sluice_streamer_gaps_detected_total",
        "sluice_streamer_gateway_breaker_open",
        "sluice_streamer_gateway_lag_seconds",
        "sluice_streamer_gateways",
        "sluice_streamer_matches_dropped_total",
        "sluice_streamer_matches_total",
        "sluice_streamer_partition_health",
        "sluice_streamer_partition_lag_seconds",
        "sluice_streamer_partition_restarts_total",
        "sluice_streamer_queue_size",
        "sluice_streamer_rescan_events_total",
        "sluice_streamer_resyncs_total",
        "sluice_streamer_routing_latency_seconds",
        "sluice_streamer_side_groups",
        "sluice_streamer_stuck_subscriptions",
        "sluice_streamer_subscriptions",
        "sluice_streamer_subscriptions_ended_total",
        "sluice_streamer_tail_events",
        "sluice_streamer_unmatchable_events_total"
    };

    private static final int MORE_THAN_IN_MEMORY = 1_200;

    @TempDir
    Path data;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final FeedLog log = new FeedLog("shop");
    private final MeddlingFeed feed =
            new MeddlingFeed(new LocalLogFeed(Map.of("shop", log.reader()), Duration.ofHours(1), new ConsumersView(0)));
    private volatile EventCallback callback = event -> {};
    private DevMongo mongo;
    private StreamerRole role;
    private Gateway gateway;
    private long second = 10;

    @BeforeEach
    void start() throws Exception {
        mongo = DevMongo.builder().start();
        var config = new StreamerSetup(data, mongo)
                .routing("dlq: {max_age: 2s}")
                .routing("delivery: {retry: {initial_delay: 10ms, max_delay: 50ms}}")
                .sections(
                        "reliability: {checkpoint: {interval: 100ms}, circuit_breaker: {threshold: 3, timeout: 300ms}}\n")
                .config();
        role = StreamerRole.start(config, feed, registry, new Loops());
        await("owned", () -> !role.streamer().head().isEmpty());
        startGateway();
    }

    private void startGateway() {
        gateway = Gateway.builder("g").streamer("127.0.0.1:" + role.port()).start();
        gateway.subscribe(
                Subscription.of("s", "g", "", "orders", "{\"n\": {\"$gt\": 0}}"), event -> callback.receive(event));
    }

    @AfterEach
    void stop() {
        gateway.close();
        role.close();
        mongo.close();
    }

    /** The sum over all labels. */
    private double value(String name) {
        return value(name, "");
    }

    /** The sum over those with this label, as in {@code gateway="g"}. */
    private double value(String name, String label) {
        return Arrays.stream(scrape())
                .filter(line -> line.startsWith("sluice_streamer_" + name + "{")
                        || line.startsWith("sluice_streamer_" + name + " "))
                .filter(line -> line.contains(label))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private String[] scrape() {
        role.refreshMetrics();
        return registry.scrape().split("\n");
    }

    private void change() {
        log.insert(second++, "doc");
    }

    /** The last 1,000 events of a stream are served from memory, also after they were evicted from the log. */
    private void changeMoreThanIsInMemory() throws Exception {
        var before = role.streamer().counters().events();
        for (var k = 0; k < MORE_THAN_IN_MEMORY; k++) {
            change();
        }
        await("all are read", () -> role.streamer().counters().events() >= before + MORE_THAN_IN_MEMORY);
    }

    @Test
    void theNamesArePinned() throws Exception {
        change();
        await("a lane", () -> value("delivery_success_total") == 1);
        var names = Arrays.stream(scrape())
                .filter(line -> line.startsWith("# TYPE sluice_streamer_"))
                .map(line -> line.split(" ")[2])
                .filter(name -> !name.endsWith("_max"))
                .sorted();
        assertThat(names).containsExactly(NAMES);
        assertThat(List.of(scrape()))
                .as("the group's")
                .anyMatch(line -> line.startsWith("sluice_cluster_owned_partitions{group=\"sluice/streamer\"} 1"));
    }

    @Test
    void whatFlowsIsCounted() throws Exception {
        change();
        change();
        await("delivered", () -> value("delivery_success_total") == 2);
        assertThat(value("matches_total")).isEqualTo(2);
        // What is delivered is counted behind it.
        await("routed", () -> value("events_routed_total") == 2);
        await("in batches", () -> value("batches_delivered_total") >= 1);
        assertThat(value("batches_delivered_total")).isLessThanOrEqualTo(2);
        await("measured", () -> value("routing_latency_seconds_count") == 2);
        assertThat(value("routing_latency_seconds_sum")).isPositive();
        assertThat(value("routing_latency_seconds_bucket")).as("a histogram").isPositive();
        await("measured", () -> value("delivery_latency_seconds_count") >= 1);
        assertThat(value("delivery_latency_seconds_count")).isLessThanOrEqualTo(2);
        assertThat(value("tail_events")).isEqualTo(2);
        assertThat(value("subscriptions")).isEqualTo(1);
        assertThat(value("gateways")).isEqualTo(1);
        await("saved", () -> value("checkpoints_saved_total") > 0);
        assertThat(value("checkpoint_latency_seconds_count")).isPositive();
        assertThat(value("partition_health")).as("one of its states").isEqualTo(1);
        assertThat(value("partition_lag_seconds")).as("since 1970").isGreaterThan(1e9);
        feed.fail.set(true);
        change();
        await("read again", () -> value("partition_restarts_total") == 1);
        gateway.unsubscribe("s");
        await("ended", () -> value("subscriptions_ended_total") == 1);
        assertThat(value("subscriptions")).isZero();
    }

    @Test
    void whatIsRefusedIsCountedAndInTheEndPurged() throws Exception {
        callback = event -> {
            throw new RejectedException("never");
        };
        change();
        await("a dead letter", () -> value("dlq_events_total") == 1);
        assertThat(value("dead_letters")).isEqualTo(1);
        await("older than max_age", () -> value("dead_letters_purged_total") == 1);
        assertThat(value("dead_letters")).isZero();
    }

    @Test
    void aFailingGatewayFallsBehindAndCatchesUp() throws Exception {
        gateway.close();
        change();
        await("an error", () -> value("delivery_errors_total") > 0);
        await("again", () -> value("delivery_retries_total") > 0);
        await("it waits", () -> value("queue_size") > 0);
        await(
                "the breaker opens",
                () -> role.streamer().status().lanes().stream()
                        .anyMatch(lane -> lane.breaker().equals("open")));
        change();
        await("it falls behind", () -> value("backpressure_events_total") > 0);
        changeMoreThanIsInMemory();
        startGateway();
        await("it is read again", () -> value("rescan_events_total") > 0);
        await("caught up", () -> value("caught_up_total") > 0);
    }

    @Test
    void whatASubscriptionTakesWithItIsCounted() throws Exception {
        var asked = new CountDownLatch(1);
        var answer = new CountDownLatch(1);
        callback = event -> {
            asked.countDown();
            answer.await();
        };
        change();
        asked.await();
        change();
        await("it waits for the first", () -> value("queue_size") == 2);
        role.subscriptions().remove(List.of("s"));
        await("dropped: the one under way, and the one behind it", () -> value("matches_dropped_total") == 2);
        answer.countDown();
    }

    @Test
    void gapsAndWhatNobodyCanReadAreCounted() throws Exception {
        log.append(event(Operation.RESYNC).encode());
        await("a gap", () -> value("gaps_detected_total") == 1);
        appendUnreadable();
        await("nobody can be told", () -> value("unmatchable_events_total") == 1);
    }

    /** A lane that catches up reads the event a second time. */
    @Test
    void anUnreadableEventIsCountedOnce() throws Exception {
        gateway.close();
        change();
        await(
                "the breaker opens",
                () -> role.streamer().status().lanes().stream()
                        .anyMatch(lane -> lane.breaker().equals("open")));
        change();
        await("it falls behind", () -> value("backpressure_events_total") > 0);
        appendUnreadable();
        await("nobody can be told", () -> value("unmatchable_events_total") == 1);
        change();
        startGateway();
        await("caught up", () -> value("caught_up_total") > 0);
        assertThat(value("unmatchable_events_total")).isEqualTo(1);
    }

    private void appendUnreadable() {
        byte[] noBson = {9, 0, 0, 0, 0x55, 'x', 0, 1, 0};
        log.append(event(Operation.INSERT)
                .documentId(new DocumentId(DocumentId.Kind.STRING, "bad"))
                .document(noBson, 0, noBson.length)
                .encode());
    }

    @Test
    void whatIsNoLongerKeptIsAResync() throws Exception {
        gateway.close();
        change();
        await(
                "the breaker opens",
                () -> role.streamer().status().lanes().stream()
                        .anyMatch(lane -> lane.breaker().equals("open")));
        changeMoreThanIsInMemory();
        await("they are read", () -> value("matches_total") > MORE_THAN_IN_MEMORY);
        log.evictThrough(second - 2);
        startGateway();
        await("told to resync", () -> value("resyncs_total") > 0);
    }

    /** Issue 12, row 29: which gateway it is, how far it is behind, whether its breaker is open, and when it closes. */
    @Test
    void aGatewayThatFailsIsSeenInFiguresOfItsOwn() throws Exception {
        var answer = new AtomicInteger(503);
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(answer.get(), -1);
            exchange.close();
        });
        server.start();
        try (var lines = new LogLines("dev.sluice.lane", "far")) {
            var endpoint = "http://127.0.0.1:" + server.getAddress().getPort();
            role.gateways().register(new GatewayAddress("far", Protocol.HTTP, endpoint));
            role.subscriptions().register(List.of(Subscription.of("f", "far", "", "orders", "{}")));
            change();
            await("its breaker opens", () -> value("gateway_breaker_open", "\"far\"") == 1);
            assertThat(value("gateway_breaker_open", "\"g\"")).isZero();
            change();
            await("it falls behind", () -> value("backpressure_events_total", "\"far\",level=\"unreachable\"") == 1);
            assertThat(value("backpressure_events_total", "gateway=\"g\"")).isZero();
            await("the other one has both", () -> value("gateway_lag_seconds", "\"g\"") == 0);
            assertThat(value("gateway_lag_seconds", "\"far\"")).as("since 1970").isGreaterThan(1e9);
            assertThat(healthOf("far").healthy()).isFalse();
            assertThat(healthOf("far").answer().getString("status").getValue()).isEqualTo("unreachable");
            assertThat(healthOf("far").answer().getString("reason").getValue())
                    .contains("deliveries fail", "oldest unacknowledged change");
            assertThat(healthOf("g").healthy()).isTrue();
            assertThat(lines.all()).noneMatch(line -> line.startsWith("breaker closed"));
            answer.set(200);
            await("its breaker closes", () -> value("gateway_breaker_open", "\"far\"") == 0);
            await("it has caught up", () -> value("gateway_lag_seconds", "\"far\"") == 0);
            assertThat(healthOf("far").healthy()).isTrue();
            await("and that is said", () -> lines.all().stream().anyMatch(line -> line.startsWith("breaker closed")));
            role.gateways().remove("far");
            await("its figures go with it", () -> Arrays.stream(scrape()).noneMatch(line -> line.contains("\"far\"")));
        } finally {
            server.stop(0);
        }
    }

    private HealthPart healthOf(String gateway) {
        return new StreamerAnswers(role)
                .health().stream()
                        .filter(part -> part.kind() == HealthPart.Kind.GATEWAYS)
                        .filter(part -> part.answer().getString("id").getValue().equals(gateway))
                        .findFirst()
                        .orElseThrow();
    }

    /** Issue 12, row 29. */
    @Test
    void readinessSaysWhetherRegistrationsAreTaken() throws Exception {
        var puller = new StreamerSetup(data, mongo).config().puller();
        var endpoints = new NodeHttp.Endpoints(
                puller.health(), puller.metrics(), SluiceConfig.defaults().security());
        try (var http = NodeHttp.start(
                endpoints, List.of(new StreamerAnswers(role)), new LoopHealth(new Loops()), registry::scrape, "test")) {
            var admin = new AdminPort(http.adminPort());
            assertThat(admin.get("/readyz").statusCode()).isEqualTo(200);
            feed.away = true;
            assertThat(admin.get("/readyz").statusCode()).isEqualTo(503);
            assertThat(admin.get("/readyz").body())
                    .startsWith("no registrations are taken: the event logs cannot be asked now");
            assertThat(admin.get("/livez").statusCode()).isEqualTo(200);
            role.close();
            assertThat(admin.get("/readyz").body()).startsWith("the streamer is stopping");
        }
    }

    private EventRecordEncoder event(Operation operation) {
        return new EventRecordEncoder()
                .id(ClusterTime.of(second++, 1), 77 + second)
                .operation(operation)
                .collection("orders");
    }

    @Test
    void aGatewayThatKnowsANewerOwnerIsCounted() throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(409, -1);
            exchange.close();
        });
        server.start();
        try {
            knowsANewerOwner(server);
        } finally {
            server.stop(0);
        }
    }

    private void knowsANewerOwner(HttpServer server) throws IOException, InterruptedException {
        var endpoint = "http://127.0.0.1:" + server.getAddress().getPort();
        role.gateways().register(new GatewayAddress("newer", Protocol.HTTP, endpoint));
        role.subscriptions().register(List.of(Subscription.of("n", "newer", "", "orders", "{}")));
        change();
        await("fenced", () -> value("fenced_total") > 0);
    }
}
