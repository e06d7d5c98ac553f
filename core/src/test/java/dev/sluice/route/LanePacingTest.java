package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lane.LaneSettings;
import dev.sluice.model.ChangeEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a lane sends what is less than a full batch. */
class LanePacingTest {
    private final Scene scene = new Scene(StreamerSettings.DEFAULT.withLanes(LaneSettings.DEFAULT));
    private final SimulatedGateway gateway = scene.up("g");

    private List<ChangeEvent> oneEachMillisecond(int count) {
        List<ChangeEvent> events = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            events.add(scene.change("d" + k));
            scene.run(1);
        }
        return events;
    }

    @Test
    void aFlowOfEventsGoesOutInBatchesSomeMillisecondsApart() {
        scene.subscribe("s", "g");
        scene.run(100);
        int before = gateway.attempts;
        List<ChangeEvent> events = oneEachMillisecond(200);
        assertThat(gateway.attempts - before).as("at most one in 4 ms").isBetween(10, 51);
        scene.run(50);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void anEventAfterAQuietMomentGoesOutAtOnce() {
        scene.subscribe("s", "g");
        for (int k = 0; k < 20; k++) {
            scene.run(20);
            int before = gateway.attempts;
            ChangeEvent unused = scene.change("d" + k);
            scene.run(1);
            assertThat(gateway.attempts).as("event %s", k).isEqualTo(before + 1);
        }
    }

    @Test
    void aFullBatchWaitsForNothing() {
        scene.subscribe("s", "g");
        scene.subscribe("t", "g");
        scene.run(100);
        int before = gateway.attempts;
        for (int k = 0; k < 10; k++) {
            List<ChangeEvent> unused = scene.changes(LaneSettings.Batch.DEFAULT.maxSize());
            scene.run(2);
        }
        assertThat(gateway.taken).as("two for each change").hasSizeGreaterThan(1_000);
        assertThat(gateway.attempts - before).isGreaterThan(10);
    }
}
