package dev.sluice.server.streamer;

import static dev.sluice.server.streamer.StreamerSetup.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.devmongo.DevMongo;
import dev.sluice.gateway.Gateway;
import dev.sluice.model.Subscription;
import dev.sluice.run.Loops;
import dev.sluice.stream.ConsumersView;
import dev.sluice.testkit.contract.FeedLog;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Row 37: a stop never saves a position beyond what was acknowledged. */
@Timeout(120)
class StreamerStopTest {
    @TempDir
    Path data;

    private final FeedLog log = new FeedLog("shop");
    private final MeddlingFeed feed =
            new MeddlingFeed(new LocalLogFeed(Map.of("shop", log.reader()), Duration.ofHours(1), new ConsumersView(0)));
    private final Queue<String> got = new ConcurrentLinkedQueue<>();

    private StreamerRole start() throws IOException, InterruptedException {
        try (var mongo = DevMongo.builder().start()) {
            var config = new StreamerSetup(data, mongo)
                    .sections("reliability: {shutdown: {flush_timeout: 500ms}}\n")
                    .config();
            var role = StreamerRole.start(config, feed, new SimpleMeterRegistry(), new Loops());
            await("owned", () -> !role.streamer().head().isEmpty());
            return role;
        }
    }

    private Gateway gateway(StreamerRole role) {
        var gateway = Gateway.builder("g").streamer("127.0.0.1:" + role.port()).start();
        gateway.subscribe(Subscription.of("s", "g", "", "orders", "{}"), event -> got.add(event.documentId()));
        return gateway;
    }

    @Test
    void whatWasReadWhenItStoppedComesAfterTheNextStart() throws Exception {
        try (var role = start();
                var gateway = gateway(role)) {
            var read = new CountDownLatch(1);
            feed.beforeHandingOver = () -> {
                role.streamer().drain(Duration.ZERO);
                read.countDown();
            };
            log.insert(20, "late");
            read.await();
            assertThat(gateway.id()).isEqualTo("g");
        }
        assertThat(got).isEmpty();
        feed.beforeHandingOver = () -> {};
        try (var role = start();
                var gateway = gateway(role)) {
            await("delivered", () -> got.contains("late"));
            assertThat(gateway.id()).isEqualTo("g");
        }
    }

    /** A gateway that never answers is not waited for longer than flush_timeout; it gets its event after the next start. */
    @Test
    void whatIsNotAcknowledgedInTimeComesAfterTheNextStart() throws Exception {
        var asked = new CountDownLatch(1);
        var never = new CountDownLatch(1);
        try (var role = start();
                var gateway = Gateway.builder("g")
                        .streamer("127.0.0.1:" + role.port())
                        .start()) {
            gateway.subscribe(Subscription.of("s", "g", "", "orders", "{}"), event -> {
                asked.countDown();
                never.await();
            });
            log.insert(20, "unanswered");
            asked.await();
            var start = System.nanoTime();
            role.close();
            System.out.println("stopped after "
                    + Duration.ofNanos(System.nanoTime() - start).toMillis() + " ms");
            never.countDown();
        }
        try (var role = start();
                var gateway = gateway(role)) {
            await("delivered", () -> got.contains("unanswered"));
            assertThat(gateway.id()).isEqualTo("g");
        }
    }
}
