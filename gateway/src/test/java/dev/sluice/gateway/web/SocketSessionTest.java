package dev.sluice.gateway.web;

import static dev.sluice.gateway.StandInStreamer.await;
import static dev.sluice.gateway.StandInStreamer.marker;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.StandInStreamer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Resume ids for idle clients; {@link SocketProtocolTest} has the protocol. */
@Timeout(60)
class SocketSessionTest {
    private static final WebLimits LIMITS = WebLimits.DEFAULT;
    private static final Duration AT_ONCE = Duration.ofSeconds(5);

    private final WebCounters counters = new WebCounters();
    private final ClientQueue queue = new ClientQueue(LIMITS, new QueueMemory(1 << 20), counters, () -> {});
    private StandInStreamer streamer;
    private Gateway gateway;
    private SocketSession session;

    @BeforeEach
    void start() throws Exception {
        streamer = new StandInStreamer();
        gateway = Gateway.builder("g").streamer(streamer.address()).start();
        await("it is registered", () -> streamer.gateways.containsKey("g"));
        Caller caller = new Caller("x", Optional.empty(), Optional.empty());
        session = new SocketSession("n", gateway, caller, LIMITS, queue, counters, Clock.systemUTC());
        subscribe("");
        assertThat(queue.take(AT_ONCE)).isNotNull();
    }

    @AfterEach
    void stop() {
        session.close();
        gateway.close();
        streamer.close();
    }

    private void subscribe(String lastEventId) {
        session.receive("{\"op\":\"subscribe\",\"id\":\"mine\",\"collection\":\"orders\",\"lastEventId\":\""
                + lastEventId + "\"}");
    }

    private static List<String> texts(List<ClientMessage> messages) {
        return messages.stream()
                .map(message -> new String(message.before(), StandardCharsets.UTF_8))
                .toList();
    }

    private void progressMoves() throws Exception {
        streamer.progress = marker(170);
        await("its id moves", () -> gateway.progress("n-1").equals(marker(170)));
    }

    /** The client would resume behind what it never got. */
    @Test
    void noIdIsToldWhileAnEventWaitsThatItCovers() throws Exception {
        assertThat(texts(session.idle())).containsExactly(SocketText.PING);
        assertThat(streamer.deliver("g", "n-1", "a", 1, marker(101))).startsWith("200 ");
        progressMoves();
        assertThat(texts(session.idle())).containsExactly(SocketText.PING);

        assertThat(queue.take(AT_ONCE)).isNotNull();
        assertThat(texts(session.idle()))
                .containsExactly("{\"id\":\"mine\",\"progress\":\"" + marker(170) + "\"}", SocketText.PING);
        assertThat(texts(session.idle())).containsExactly(SocketText.PING);
    }

    /** The new one goes on from an earlier place than the one before has reached. */
    @Test
    void theIdOfASubscriptionThatIsBeingReplacedIsNotToldBehindAnEventOfTheNewOne() throws Exception {
        progressMoves();
        List<String> told = new ArrayList<>();
        streamer.whenRegistered = () -> {
            assertThat(streamer.deliver("g", "n-2", "a", 1, marker(11))).startsWith("200 ");
            assertThat(queue.take(AT_ONCE)).isNotNull();
            return told.addAll(texts(session.idle()));
        };
        subscribe(marker(10));
        assertThat(told).containsExactly(SocketText.PING);
    }
}
