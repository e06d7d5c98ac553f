package dev.sluice.gateway.web;

import static dev.sluice.gateway.StandInStreamer.await;
import static dev.sluice.gateway.StandInStreamer.marker;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.StandInStreamer;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Resume ids for idle clients; {@link SocketProtocolTest} has the protocol. */
@Timeout(60)
class SocketSessionTest {
    private static final WebLimits LIMITS = WebLimits.DEFAULT;
    private static final Duration AT_ONCE = Duration.ofSeconds(5);

    /** The client would resume behind what it never got. */
    @Test
    void noIdIsToldWhileAnEventWaitsThatItCovers() throws Exception {
        try (StandInStreamer streamer = new StandInStreamer();
                Gateway gateway =
                        Gateway.builder("g").streamer(streamer.address()).start()) {
            await("it is registered", () -> streamer.gateways.containsKey("g"));
            WebCounters counters = new WebCounters();
            ClientQueue queue = new ClientQueue(LIMITS, new QueueMemory(1 << 20), counters, () -> {});
            SocketSession session = new SocketSession(
                    "n",
                    gateway,
                    new Caller("x", Optional.empty(), Optional.empty()),
                    LIMITS,
                    queue,
                    counters,
                    Clock.systemUTC());
            session.receive("{\"op\":\"subscribe\",\"id\":\"mine\",\"collection\":\"orders\",\"lastEventId\":\"\"}");
            assertThat(queue.take(AT_ONCE)).isNotNull();
            assertThat(session.idle()).containsExactly(SocketText.PING);
            assertThat(streamer.deliver("g", "n-1", "a", 1, marker(101))).startsWith("200 ");
            streamer.progress = marker(170);
            await("its id moves", () -> gateway.progress("n-1").equals(marker(170)));
            assertThat(session.idle()).containsExactly(SocketText.PING);

            assertThat(queue.take(AT_ONCE)).isNotNull();
            assertThat(session.idle())
                    .containsExactly("{\"id\":\"mine\",\"progress\":\"" + marker(170) + "\"}", SocketText.PING);
            assertThat(session.idle()).containsExactly(SocketText.PING);
            session.close();
        }
    }
}
