package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of too many side groups the nearest become one: at a place up to which both have settled everything. */
class SideGroupsTest {
    private static final int EVENTS = 60;
    private static final int SCHEDULES = 60;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void subscriptionsThatBeginInThePastLoseNothingHoweverManyThereAre(long seed) {
        Random random = new Random(seed);
        for (int k = 0; k < SCHEDULES; k++) {
            play(random);
        }
    }

    private static void play(Random random) {
        Scene scene = new Scene();
        SimulatedGateway gateway = scene.up("g");
        List<ChangeEvent> events = new ArrayList<>();
        List<ProgressMarker> markers = new ArrayList<>();
        for (int k = 0; k < EVENTS; k++) {
            markers.add(scene.feed.end());
            events.add(scene.change("d" + k % 5));
        }
        scene.run(500);
        List<Integer> begins = new ArrayList<>();
        int at = EVENTS;
        while (at > 0) {
            gateway.mode = random.nextBoolean() ? SimulatedGateway.Mode.HUNG : SimulatedGateway.Mode.SLOW;
            at -= 1 + random.nextInt(5);
            begins.add(random.nextInt(4) == 0 ? random.nextInt(EVENTS) : Math.max(0, at));
            scene.subscribe("s" + begins.size(), "g", Priority.NORMAL, markers.get(begins.getLast()));
            scene.run(random.nextInt(4) * 30);
        }
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(120_000);
        for (int k = 0; k < begins.size(); k++) {
            assertThat(Scene.got(gateway, "s" + (k + 1)))
                    .as("begins at %d of %s", begins.get(k), begins)
                    .isEqualTo(Scene.ids(events.subList(begins.get(k), EVENTS)));
        }
    }
}
