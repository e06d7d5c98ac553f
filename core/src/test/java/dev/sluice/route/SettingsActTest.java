package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.lane.LaneSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Settings of the Streamer that no other test changes: what becomes different with another value (issue 12, row 28). */
class SettingsActTest {
    private static final Duration LONG = Duration.ofHours(1);

    private static Scene with(LaneSettings.Batch batch, LaneSettings.Retry retry) {
        return new Scene(SceneSettings.of(new LaneSettings(
                batch,
                LaneSettings.Queue.DEFAULT,
                retry,
                new LaneSettings.Breaker(1000, Duration.ofSeconds(30)),
                2,
                true)));
    }

    private static Scene with(Duration reportInterval, int reportCount) {
        StreamerSettings usual = StreamerSettings.DEFAULT;
        return new Scene(new StreamerSettings(
                usual.mode(),
                usual.maxFanout(),
                Scene.SMALL,
                reportInterval,
                reportCount,
                usual.lagThreshold(),
                usual.flushTimeout(),
                usual.retriesPerSecond()));
    }

    private static long batches(int maxSize) {
        Scene scene = with(
                new LaneSettings.Batch(maxSize, 1 << 20, Duration.ofMillis(50), Duration.ofMillis(10)),
                LaneSettings.Retry.DEFAULT);
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.changes(60);
        scene.run(5000);
        assertThat(gateway.taken).hasSize(60);
        return scene.streamer.counters().batches();
    }

    @Test
    void aBatchHoldsNoMoreThanItsSize() {
        assertThat(batches(3)).isGreaterThanOrEqualTo(20);
        assertThat(batches(30)).isLessThan(10);
    }

    /** While a batch is under way: what another subscription is owed goes out after so long. */
    private static int attemptsAfter(long millis, Duration flushInterval) {
        Scene scene = with(
                new LaneSettings.Batch(5, 1 << 20, Duration.ofSeconds(1), flushInterval), LaneSettings.Retry.DEFAULT);
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.change("d");
        scene.run(100);
        scene.subscribe("t", "g");
        scene.change("e");
        scene.run(millis);
        return gateway.attempts;
    }

    @Test
    void aBusyLaneIsLookedAtEveryFlushInterval() {
        assertThat(attemptsAfter(500, Duration.ofMillis(700))).isEqualTo(1);
        assertThat(attemptsAfter(850, Duration.ofMillis(700)))
                .as("it would be late at 1400 ms")
                .isEqualTo(2);
        assertThat(attemptsAfter(850, Duration.ofMillis(100)))
                .as("not before 1000 ms")
                .isEqualTo(1);
        assertThat(attemptsAfter(1200, Duration.ofMillis(100))).isEqualTo(2);
    }

    private static int attempts(Duration first, Duration longest, double multiplier) {
        Scene scene = with(LaneSettings.Batch.DEFAULT, new LaneSettings.Retry(3, first, longest, multiplier));
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        gateway.answer = new BatchOutcome.RetryLater("503");
        scene.change("d");
        scene.run(60_000);
        return gateway.attempts;
    }

    @Test
    void pausesBeginGrowAndEndAsTheyAreSet() {
        Duration second = Duration.ofSeconds(1);
        int usual = attempts(second, Duration.ofSeconds(20), 2);
        assertThat(attempts(Duration.ofSeconds(15), Duration.ofSeconds(20), 2)).isLessThan(usual);
        assertThat(attempts(second, Duration.ofSeconds(2), 2)).isGreaterThan(usual * 2);
        assertThat(attempts(second, Duration.ofSeconds(20), 1)).isGreaterThan(usual * 3);
    }

    @Test
    void positionsAreSavedByTimeAndByCount() {
        // What may be sent is reserved ahead by saves of their own.
        int reserved = reports(LONG, 1000);
        assertThat(reports(Duration.ofSeconds(2), 1000)).isGreaterThanOrEqualTo(reserved + 3);
        assertThat(reports(LONG, 10)).isGreaterThanOrEqualTo(reserved + 2);
    }

    /** Of a subscription that is there already, and 30 acknowledged changes over 9 seconds. */
    private static int reports(Duration interval, int count) {
        Scene scene = with(interval, count);
        scene.up("g");
        scene.subscribe("s", "g");
        scene.run(1000);
        int before = scene.reported.size();
        for (int k = 0; k < 3; k++) {
            scene.changes(10);
            scene.run(3000);
        }
        return scene.reported.size() - before;
    }
}
