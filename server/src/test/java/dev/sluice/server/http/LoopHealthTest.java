package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.run.Loop;
import dev.sluice.run.LoopFailure;
import dev.sluice.run.Loops;
import dev.sluice.server.config.HttpEndpoint;
import dev.sluice.server.config.SluiceConfig;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A background loop that fails or has ended shows in the process's health. */
@Timeout(30)
class LoopHealthTest {
    private final AtomicLong nanos = new AtomicLong();
    private final Loops loops = new Loops(nanos::get);
    private final HttpClient client = HttpClient.newHttpClient();
    private final NodeHttp http = NodeHttp.start(
            new NodeHttp.Endpoints(
                    new HttpEndpoint.Health("127.0.0.1", 0, "/health"),
                    new HttpEndpoint.Metrics("127.0.0.1", 0, "/metrics"),
                    SluiceConfig.defaults().security()),
            List.of(),
            new LoopHealth(loops),
            () -> "",
            "test");

    @AfterEach
    void close() {
        client.close();
        http.close();
    }

    @Test
    void aFailingLoopMakesHealthFailAtOnceAndLivenessAfterAMinute() throws Exception {
        var broken = new AtomicBoolean(true);
        try (var loop = loops.loop("log-retention-shop")
                .retryAfter(Duration.ofMillis(1))
                .start(() -> {
                    if (broken.get()) {
                        throw new NoClassDefFoundError("on purpose");
                    }
                    return Duration.ofMillis(1);
                })) {
            await(() -> !loops.failing().isEmpty());
            var health = get("/health");
            assertThat(health.statusCode()).isEqualTo(503);
            assertThat(health.body())
                    .contains("\"status\": \"unhealthy\"", "log-retention-shop", "NoClassDefFoundError: on purpose");
            assertThat(get("/livez").statusCode()).as("it may recover").isEqualTo(200);

            nanos.addAndGet(LoopHealth.STEADY.toNanos());
            assertThat(get("/livez").statusCode()).isEqualTo(503);
            assertThat(get("/livez").body()).contains("log-retention-shop", "60 s", "NoClassDefFoundError");

            broken.set(false);
            await(() -> loops.failing().isEmpty());
            assertThat(get("/livez").statusCode()).isEqualTo(200);
            assertThat(get("/health").body()).contains("healthy").doesNotContain("loops");
            assertThat(loop.isOver()).isFalse();
        }
    }

    @Test
    void aLoopThatHasEndedMakesLivenessFailAtOnce() throws Exception {
        Loop ended = loops.loop("capture-shop").start(() -> {
            throw new InterruptedException("by a stranger");
        });
        assertThat(ended.join(Duration.ofSeconds(20))).isTrue();
        assertThat(get("/livez").statusCode()).isEqualTo(503);
        assertThat(get("/livez").body()).contains("loop capture-shop has ended");
        assertThat(get("/health").body()).contains("\"ended\"");
    }

    @Test
    void loopsOfALibraryWithThreadsOfItsOwnCountToo() throws Exception {
        var lasting = new AtomicReference<>(Duration.ofSeconds(1));
        loops.include(() -> List.of(
                new LoopFailure("worker-feeding-w0", 2, lasting.get(), new NoClassDefFoundError("on purpose"), false)));
        assertThat(get("/health").body()).contains("worker-feeding-w0", "on purpose");
        assertThat(get("/livez").statusCode()).as("it may recover").isEqualTo(200);
        lasting.set(LoopHealth.STEADY);
        assertThat(get("/livez").statusCode()).isEqualTo(503);
        assertThat(get("/livez").body()).contains("worker-feeding-w0");
    }

    private HttpResponse<String> get(String path) throws Exception {
        var address = URI.create("http://127.0.0.1:" + http.adminPort() + path);
        return client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Condition condition) {
        while (!condition.holds()) {
            Thread.onSpinWait();
        }
    }
}
