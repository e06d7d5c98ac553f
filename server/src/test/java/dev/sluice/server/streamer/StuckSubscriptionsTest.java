package dev.sluice.server.streamer;

import static dev.sluice.server.streamer.StreamerSetup.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.devmongo.DevMongo;
import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.ReceivedEvent;
import dev.sluice.lane.LaneStatus;
import dev.sluice.model.Subscription;
import dev.sluice.run.Loops;
import dev.sluice.stream.ConsumersView;
import dev.sluice.testkit.contract.FeedLog;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Subscriptions whose events a gateway keeps answering with <em>later</em>, while it takes those of the others. */
@Timeout(120)
class StuckSubscriptionsTest {
    @TempDir
    Path data;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final FeedLog log = new FeedLog("shop");
    private final Queue<String> well = new ConcurrentLinkedQueue<>();
    private final Queue<String> late = new ConcurrentLinkedQueue<>();
    private volatile boolean refuses = true;
    private DevMongo mongo;
    private StreamerRole role;
    private Gateway gateway;
    private long second = 10;

    @BeforeEach
    void start() throws Exception {
        mongo = DevMongo.builder().start();
        var config = new StreamerSetup(data, mongo)
                .routing("stuck_after: 300ms, max_stuck: 1")
                .routing("delivery: {retry: {initial_delay: 10ms, max_delay: 50ms}}")
                .sections("reliability: {checkpoint: {interval: 100ms}}\n")
                .config();
        var feed = new LocalLogFeed(Map.of("shop", log.reader()), Duration.ofHours(1), new ConsumersView(0));
        role = StreamerRole.start(config, feed, registry, new Loops());
        gateway = Gateway.builder("g").streamer("127.0.0.1:" + role.port()).start();
    }

    @AfterEach
    void stop() {
        gateway.close();
        role.close();
        mongo.close();
    }

    private void subscribe(String id) {
        gateway.subscribe(Subscription.of(id, "g", "", "orders", "{}"), this::handle);
    }

    private void handle(ReceivedEvent event) {
        if (!event.subscriptionId().startsWith("late")) {
            well.add(event.documentId());
        } else if (refuses) {
            throw new IllegalStateException("not now");
        } else {
            late.add(event.subscriptionId() + " " + event.documentId());
        }
    }

    private double figure(String name) {
        role.refreshMetrics();
        return registry.scrape()
                .lines()
                .filter(line -> line.startsWith("sluice_streamer_" + name + "{gateway=\"g\"}"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private LaneStatus lane() {
        return role.streamer().status().lanes().getFirst();
    }

    private void writeUntil(String what, BooleanSupplier reached) throws InterruptedException {
        await(what, () -> {
            log.insert(second, "doc-" + second);
            second++;
            return reached.getAsBoolean();
        });
    }

    @Test
    void oneIsDeliveredApartAfterAWhileAndCatchesUp() throws Exception {
        subscribe("well-1");
        subscribe("well-2");
        subscribe("late");
        writeUntil("it is delivered apart", () -> figure("stuck_subscriptions") == 1);
        assertThat(figure("side_groups")).isEqualTo(1);
        assertThat(lane().behind()).anyMatch(group -> group.waits() == LaneStatus.Wait.STUCK);
        var before = well.size();
        writeUntil("the others go on", () -> well.size() > before);
        refuses = false;
        await("it is with the others again", () -> figure("stuck_subscriptions") == 0 && figure("side_groups") == 0);
        await("and has it all", () -> late.size() == second - 10);
        assertThat(late).doesNotHaveDuplicates();
    }

    @Test
    void noMoreThanSoManyAreDeliveredApart() throws Exception {
        for (var id : List.of("well-1", "well-2", "well-3", "late-1", "late-2")) {
            subscribe(id);
        }
        writeUntil("one is delivered apart", () -> figure("stuck_subscriptions") == 1);
        for (var k = 0; k < 50; k++) {
            assertThat(figure("stuck_subscriptions")).isLessThanOrEqualTo(1);
            Thread.sleep(20);
        }
        refuses = false;
        await("all have it all", () -> late.size() == 2 * (second - 10) && well.size() == 3 * (second - 10));
    }
}
