package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.Delivery;
import dev.sluice.lane.Lane;
import dev.sluice.lane.LaneStatus;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Promises that groups with cursors keep and positions of gateways did not. */
class CursorPromisesTest {
    private static final StreamerSettings USUAL = StreamerSettings.DEFAULT;

    @Test
    void aSubscriptionStuckForAnHourDelaysNoOtherOfItsGateway() {
        Scene scene = new Scene(USUAL);
        SimulatedGateway gateway = scene.up("g");
        int subscriptions = 10_000;
        for (int k = 0; k < subscriptions; k++) {
            scene.subscribe("s" + k, "g");
        }
        gateway.isStuck = id -> id.equals("s7");
        List<ChangeEvent> events = new ArrayList<>();
        for (int k = 0; k < 3; k++) {
            events.add(scene.change("d" + k));
            scene.run(2_000);
            assertThat(gateway.taken).as("within two seconds, by all others").hasSize((subscriptions - 1) * (k + 1));
            scene.run(Duration.ofMinutes(20).toMillis());
        }
        assertThat(scene.lane("g").behind())
                .as("it stands alone")
                .singleElement()
                .satisfies(behind -> {
                    assertThat(behind.members()).isOne();
                    assertThat(behind.waits()).isEqualTo(LaneStatus.Wait.STUCK);
                });
        scene.claim.persist();
        assertThat(scene.claim.saved())
                .as("the others are saved where they are")
                .contains("\"of\":[\"s7\"");
        gateway.isStuck = id -> false;
        scene.run(20_000);
        assertThat(Scene.got(gateway, "s7")).isEqualTo(Scene.ids(events));
        assertThat(scene.lane("g").behind()).isEmpty();
    }

    @Test
    void aLaneThatComesBackToTheTailInsideATransactionRepeatsNothing() {
        Scene scene = new Scene();
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.run(100);
        gateway.mode = SimulatedGateway.Mode.SLOW;
        List<ChangeEvent> events = new ArrayList<>();
        for (int k = 0; k < 60; k++) {
            events.add(scene.feed.append("db0", Operation.REPLACE, "c", "d" + k, 0, k > 0));
            scene.run(k % 7 == 0 ? 300 : 1);
        }
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(60_000);
        assertThat(scene.streamer.counters().fellBehind(Lane.Room.HARD))
                .as("it fell behind")
                .isPositive();
        assertThat(Scene.taken(gateway, "s"))
                .extracting(each -> each.event().event().id())
                .isEqualTo(Scene.ids(events));
        assertThat(Scene.taken(gateway, "s")).noneMatch(Delivery::redelivery);
    }

    @Test
    void aSubscriptionThatBeginsInThePastConcernsNoNeighbour() {
        Scene scene = new Scene();
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("neighbour", "g");
        ProgressMarker before = scene.feed.end();
        List<ChangeEvent> events = new ArrayList<>(scene.changes(40));
        scene.run(5000);
        scene.subscribe("s", "g", Priority.NORMAL, before);
        events.addAll(scene.changes(5));
        scene.run(20_000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
        assertThat(Scene.taken(gateway, "neighbour"))
                .extracting(each -> each.event().event().id())
                .isEqualTo(Scene.ids(events));
    }

    @Test
    void aHundredGatewaysBehindAtOnceHaveEachEventReadAtMostTwice() {
        Scene scene = new Scene(USUAL);
        for (int k = 0; k < 100; k++) {
            scene.up("g" + k);
            scene.subscribe("s" + k, "g" + k);
        }
        scene.run(1000);
        for (int k = 0; k < 100; k++) {
            scene.streamer.away("g" + k);
        }
        // More than what stays in memory.
        int events = 3_000;
        scene.changes(events);
        scene.run(120_000);
        long before = scene.feed.read;
        for (int k = 0; k < 100; k++) {
            scene.streamer.up(Scene.address("g" + k));
        }
        scene.run(120_000);
        Set<EventId> got = new HashSet<>();
        for (int k = 0; k < 100; k++) {
            assertThat(Scene.got(scene.gateway("g" + k), "s" + k)).hasSize(events);
            got.addAll(Scene.got(scene.gateway("g" + k), "s" + k));
        }
        assertThat(got).hasSize(events);
        assertThat(scene.feed.read - before).isLessThanOrEqualTo(2L * events);
    }
}
