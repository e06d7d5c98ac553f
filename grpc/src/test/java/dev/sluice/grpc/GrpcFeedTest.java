package dev.sluice.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.log.LogReader;
import dev.sluice.model.ProgressMarker;
import dev.sluice.net.ListenAddress;
import dev.sluice.route.EventFeed;
import dev.sluice.route.FeedUnavailableException;
import dev.sluice.stream.StreamLimits;
import dev.sluice.testkit.contract.EventFeedContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GrpcFeedTest extends EventFeedContract {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<PullerGrpcServer> servers = new ArrayList<>();

    @AfterEach
    void stopServers() {
        servers.forEach(PullerGrpcServer::close);
    }

    @Override
    protected EventFeed feed(Map<String, LogReader> backends, StreamLimits limits) {
        return new GrpcFeed(PullerAccess.to("127.0.0.1:" + serve(backends, limits)), PATIENCE);
    }

    private int serve(Map<String, LogReader> backends, StreamLimits limits) {
        try {
            PullerGrpcServer server = PullerGrpcServer.start(
                    ListenAddress.loopback(0), ServerSecurity.NONE, backends, PullerOptions.DEFAULT.withLimits(limits));
            servers.add(server);
            return server.port();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Test
    void whenAPullerGoesTheNextAddressGoesOnFromTheMarker() {
        Map<String, LogReader> logs = Map.of("a", a.reader());
        String addresses = "127.0.0.1:" + serve(logs, LIMITS);
        EventFeed feed = new GrpcFeed(PullerAccess.to(addresses, "127.0.0.1:" + serve(logs, LIMITS)), PATIENCE);
        EventFeed.Reader first = feed.open("test", null, 0, 1);
        ProgressMarker place = first.read(10, PATIENCE).passed();
        servers.getFirst().close();
        assertThatThrownBy(() -> readOn(first))
                .isInstanceOf(FeedUnavailableException.class)
                .hasMessageContaining(addresses);
        a.insert(30, "x");
        try (EventFeed.Reader second = feed.open("test", place, 0, 1)) {
            assertThat(firstEvents(second)).isEqualTo(1);
        }
    }

    private static void readOn(EventFeed.Reader reader) {
        while (true) {
            reader.read(10, PATIENCE);
        }
    }

    private static int firstEvents(EventFeed.Reader reader) {
        int events = reader.read(10, PATIENCE).events().size();
        return events == 0 ? firstEvents(reader) : events;
    }

    @Test
    void aSilentPullerIsGivenUp() {
        StreamLimits quiet = StreamLimits.DEFAULT.withHeartbeat(Duration.ofHours(1));
        String address = "127.0.0.1:" + serve(Map.of("a", a.reader()), quiet);
        EventFeed feed = new GrpcFeed(PullerAccess.to(address), Duration.ofMillis(300));
        EventFeed.Reader reader = feed.open("test", null, 0, 1);
        reader.read(10, PATIENCE);
        assertThatThrownBy(() -> readOn(reader))
                .isInstanceOf(FeedUnavailableException.class)
                .hasMessageContaining("silent");
    }

    @Test
    void nobodyThereIsSaidWithTheAddress() {
        int port = serve(Map.of("a", a.reader()), LIMITS);
        servers.getFirst().close();
        EventFeed.Reader reader = new GrpcFeed(PullerAccess.to("127.0.0.1:" + port), PATIENCE).open("test", null, 0, 1);
        assertThatThrownBy(() -> reader.read(1, PATIENCE))
                .isInstanceOf(FeedUnavailableException.class)
                .hasMessageContaining("127.0.0.1:" + port);
    }
}
