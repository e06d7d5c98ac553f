package dev.sluice.gateway.web;

import static dev.sluice.gateway.StandInStreamer.await;
import static dev.sluice.gateway.StandInStreamer.marker;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.StandInStreamer;
import dev.sluice.model.Subscription;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client is told of how far it has got. */
@Timeout(60)
class SseStreamTest {
    private static final WebLimits LIMITS = new WebLimits(9, 9, 9, 9, 100, 10_000, 10_000, Duration.ofSeconds(1));

    /** The client would resume behind what it never saw. */
    @Test
    void whatWaitedWhenItWasClosedIsNotCoveredByTheLastId() throws Exception {
        try (StandInStreamer streamer = new StandInStreamer();
                Gateway gateway =
                        Gateway.builder("g").streamer(streamer.address()).start()) {
            streamer.progress = marker(0);
            await("it is registered", () -> streamer.gateways.containsKey("g"));
            WebCounters counters = new WebCounters();
            ClientQueue queue = new ClientQueue(LIMITS, new QueueMemory(10_000), counters, () -> {});
            // It is asked when the writer has found the stream open, and before it looks into the queue.
            Asked between = new Asked(step -> {
                if (step < 3) {
                    assertThat(streamer.deliver("g", "s", "a", step, marker(step)))
                            .startsWith("200 ");
                }
                if (step == 2) {
                    queue.close();
                }
            });
            SseStream stream = new SseStream(
                    gateway,
                    Subscription.of("s", "g", "acme", "orders", "{}"),
                    "",
                    new Caller("x", Optional.empty(), Optional.of(Instant.MAX)),
                    queue,
                    counters,
                    Duration.ofSeconds(30),
                    between);
            ByteArrayOutputStream client = new ByteArrayOutputStream();
            stream.run(() -> client);
            assertThat(client.toString(StandardCharsets.UTF_8))
                    .contains("id: " + marker(1))
                    .doesNotContain("id: " + marker(2));
        }
    }

    private interface Step {
        void take(int number) throws Exception;
    }

    private static final class Asked extends Clock {
        private final Step step;
        private int times;

        Asked(Step step) {
            this.step = step;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            try {
                step.take(++times);
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
            return Instant.EPOCH;
        }
    }
}
