package dev.sluice.server.streamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.feed.EventFeed;
import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.StreamId;
import dev.sluice.log.AbsentLog;
import dev.sluice.log.LogReader;
import dev.sluice.model.Position;
import dev.sluice.stream.ConsumerStatus;
import dev.sluice.stream.ConsumersView;
import dev.sluice.testkit.contract.LogFeedContract;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LocalLogFeedTest extends LogFeedContract {
    private final ConsumersView consumers = new ConsumersView(0);

    @Override
    protected EventFeed feed(Map<String, LogReader> logs) {
        return new LocalLogFeed(logs, Duration.ofHours(1), consumers);
    }

    /** Operators see its lag, also while it does not read, and are warned before retention overtakes it. */
    @Test
    void aReaderIsListedUntilItIsClosedAndTakesNoConnection() {
        for (var k = 0; k < 5; k++) {
            a.insert(10 + k, "d" + k);
        }
        var feed = feed(Map.of("a", a.reader()));
        var head = feed.heads().get("a");
        try (var reader = feed.open("streamer/0", new StreamId("a", 0, 1), head.identity(), head.oldest(), () -> {})) {
            assertThat(reader.read(2, Long.MAX_VALUE).events()).hasSize(2);
            assertThat(consumers.list()).singleElement().satisfies(listed -> {
                assertThat(listed.label()).isEqualTo("streamer/0");
                assertThat(listed.events()).isEqualTo(2);
                assertThat(listed.state()).isEqualTo(ConsumerStatus.State.CATCHING_UP);
                assertThat(listed.eventsBehind()).isEqualTo(3);
            });
            a.insert(90, "later");
            assertThat(consumers.list()).singleElement().satisfies(listed -> {
                assertThat(listed.eventsBehind()).isEqualTo(4);
                assertThat(listed.secondsBehind()).isEqualTo(79);
            });
            assertThat(consumers.size()).as("of those connected").isZero();
        }
        assertThat(consumers.list()).isEmpty();
    }

    @Test
    void aLogThatCouldNotBeOpenedIsLeftOutAndTheOthersAreRead() {
        var absent = new AbsentLog("its directory is damaged", InstantSource.system());
        var feed = feed(Map.of("a", a.reader(), "gone", absent.reader()));
        assertThat(feed.heads()).containsOnlyKeys("a");
        try (var reader = feed.open("test", new StreamId("gone", 0, 1), 7, Position.START, () -> {})) {
            assertThatThrownBy(() -> reader.read(1, 1))
                    .isInstanceOf(FeedUnavailableException.class)
                    .hasMessageContaining("'gone' could not be opened");
        }
    }
}
