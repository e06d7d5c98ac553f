package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.Passed;
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

    /** The partition's own reader is slower than the one for those behind, which stops inside a transaction. */
    @Test
    void aLaneThatCouldBeReadOnPastTheTailRepeatsNothing() {
        for (int size = 5; size < 45; size += 3) {
            Scene scene = new Scene();
            SimulatedGateway gateway = scene.up("g");
            scene.subscribe("s", "g");
            scene.run(100);
            scene.streamer.away("g");
            List<ChangeEvent> events = new ArrayList<>(scene.changes(5));
            scene.run(1_000);
            scene.feed.heldReaders = "streamer";
            for (int k = 0; k < size; k++) {
                events.add(scene.feed.append("db0", Operation.REPLACE, "c", "t" + k, 0, k > 0));
            }
            scene.streamer.up(Scene.address("g"));
            scene.run(2_000);
            scene.feed.heldReaders = "none";
            scene.run(20_000);
            assertThat(Scene.taken(gateway, "s"))
                    .as("after a transaction of %d", size)
                    .extracting(each -> each.event().event().id())
                    .isEqualTo(Scene.ids(events));
            assertThat(Scene.taken(gateway, "s")).noneMatch(Delivery::redelivery);
        }
    }

    /** An event a second for an hour, all of them for the stuck one: its matches must not fill the lane. */
    @Test
    void whatAStuckSubscriptionIsOwedTakesNoRoomFromTheOthers() {
        Scene scene = new Scene();
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("stuck", "g");
        scene.subscribe("other", "g");
        gateway.isStuck = id -> id.equals("stuck");
        for (int k = 1; k <= 3_600; k++) {
            scene.change("d" + k % 100);
            scene.run(1_000);
            assertThat(gateway.taken).as("by the other one, within a second").hasSize(k);
        }
        gateway.isStuck = id -> false;
        scene.run(60_000);
        assertThat(Scene.got(gateway, "stuck")).isEqualTo(Scene.got(gateway, "other"));
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

    /** Its own events are not taken, so it stays where it began, and the others' resume points go on. */
    @Test
    void anOldIdOfOneClientConcernsThatClientAlone() {
        Scene scene = new Scene();
        SimulatedGateway gateway = scene.up("g");
        List<Passed> told = new ArrayList<>();
        gateway.passed = told::add;
        scene.subscribe("neighbour", "g");
        scene.run(100);
        ProgressMarker old = scene.feed.end();
        List<ChangeEvent> events = new ArrayList<>(scene.changes(40));
        scene.run(5_000);
        gateway.isStuck = id -> id.equals("old");
        scene.subscribe("old", "g", Priority.NORMAL, old);
        scene.run(60_000);
        for (int k = 0; k < 20; k++) {
            events.add(scene.change("d" + k));
            scene.run(3_000);
            assertThat(Scene.taken(gateway, "neighbour"))
                    .as("at once, and nothing twice")
                    .extracting(each -> each.event().event().id())
                    .isEqualTo(Scene.ids(events));
        }
        scene.run(10_000);
        Passed last = told.getLast();
        assertThat(last.except()).containsExactly("old");
        assertThat(last.marker()).as("the neighbour goes on behind all it has").isEqualTo(scene.feed.end());
        assertThat(last.revision())
                .isGreaterThanOrEqualTo(scene.registry.stored.get("neighbour").revision());
        gateway.isStuck = id -> false;
        scene.run(60_000);
        assertThat(Scene.got(gateway, "old")).isEqualTo(Scene.ids(events));
        assertThat(Scene.taken(gateway, "neighbour")).hasSameSizeAs(events);
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
