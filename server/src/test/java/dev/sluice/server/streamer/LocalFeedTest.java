package dev.sluice.server.streamer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.log.LogReader;
import dev.sluice.model.ProgressMarker;
import dev.sluice.route.EventFeed;
import dev.sluice.stream.ConsumerStatus;
import dev.sluice.stream.ConsumersView;
import dev.sluice.stream.StreamLimits;
import dev.sluice.testkit.contract.EventFeedContract;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LocalFeedTest extends EventFeedContract {
    private final ConsumersView consumers = new ConsumersView(0);

    @Override
    protected EventFeed feed(Map<String, LogReader> backends, StreamLimits limits) {
        return new LocalFeed(backends, limits, consumers);
    }

    /** So that operators see its lag, and are warned before retention overtakes it. */
    @Test
    void whoReadsIsListedUntilItIsClosedAndTakesNobodysPlace() {
        for (var k = 0; k < 5; k++) {
            a.insert(10 + k, "d" + k);
        }
        var feed = feed(Map.of("a", a.reader()), LIMITS);
        try (var reader = feed.open("streamer/0", ProgressMarker.NOWHERE, 0, 1)) {
            assertThat(reader.read(2, Duration.ofSeconds(20)).events()).hasSize(2);
            assertThat(consumers.list()).singleElement().satisfies(listed -> {
                assertThat(listed.label()).isEqualTo("streamer/0");
                assertThat(listed.events()).isEqualTo(2);
                assertThat(listed.state()).isEqualTo(ConsumerStatus.State.CATCHING_UP);
                assertThat(listed.eventsBehind()).isPositive();
            });
            assertThat(consumers.size()).as("of those connected").isZero();
        }
        assertThat(consumers.list()).isEmpty();
    }
}
