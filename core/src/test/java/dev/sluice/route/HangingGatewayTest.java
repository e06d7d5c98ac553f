package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lane.RoutingMode;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.subscribe.SubscriptionEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A gateway that takes connections and answers nothing costs no other gateway's time, and what it holds is not lost when it goes. */
class HangingGatewayTest {
    @Test
    void whatItHoldsGoesToTheNextGatewayAlsoWhenThatChangesInTheMiddleOfAStep() {
        Scene scene = new Scene(SceneSettings.of(Scene.SMALL, RoutingMode.CONSISTENT_HASH, 0));
        scene.up("g1");
        scene.up("g2");
        scene.subscribe("s", "");
        scene.run(100);
        List<ChangeEvent> events = new ArrayList<>(scene.changes(1));
        scene.run(1_000);
        String first = Scene.got(scene.gateway("g1"), "s").isEmpty() ? "g2" : "g1";
        SimulatedGateway next = scene.gateway(first.equals("g1") ? "g2" : "g1");
        scene.gateway(first).mode = SimulatedGateway.Mode.HUNG;
        events.addAll(scene.changes(3));
        scene.run(100);
        AtomicInteger routed = new AtomicInteger();
        scene.streamer.counters().measureRouting(nanos -> {
            if (routed.incrementAndGet() == 2) {
                scene.streamer.gone(first);
            }
        });
        events.addAll(scene.changes(5));
        scene.run(30_000);
        assertThat(Scene.got(next, "s")).containsSubsequence(Scene.ids(events.subList(1, events.size())));
        assertThat(scene.savedLow()).isEqualTo(scene.feed.all.size());
    }

    @Test
    void aSubscriptionThatLeavesItHoldsUpNoOtherOfItsNewGateway() {
        Scene scene = new Scene();
        SimulatedGateway hung = scene.up("g1");
        SimulatedGateway well = scene.up("g2");
        scene.subscribe("s", "g1");
        scene.subscribe("t", "g2");
        scene.run(100);
        hung.mode = SimulatedGateway.Mode.HUNG;
        scene.changes(1);
        scene.run(100);
        scene.registry.remove("s", SubscriptionEnd.REMOVED);
        scene.run(100);
        scene.subscribe("s", "g2");
        scene.run(100);
        int before = Scene.got(well, "t").size();
        List<ChangeEvent> events = scene.changes(6);
        scene.run(1_000);
        assertThat(Scene.got(well, "t").subList(before, before + 6)).isEqualTo(Scene.ids(events));
        scene.run(10_000);
        assertThat(Scene.got(well, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void aSubscriptionThatMovesAwayFromItHoldsUpNoOtherOfItsNewGateway() {
        Scene scene = new Scene();
        SimulatedGateway hung = scene.up("g1");
        SimulatedGateway well = scene.up("g2");
        scene.subscribe("s", "g1");
        scene.subscribe("t", "g2");
        scene.run(100);
        hung.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> events = new ArrayList<>(scene.changes(1));
        scene.run(100);
        scene.subscribe("s", "g2");
        scene.run(100);
        events.addAll(scene.changes(6));
        scene.run(1_000);
        assertThat(Scene.got(well, "t")).isEqualTo(Scene.ids(events));
        scene.run(10_000);
        assertThat(Scene.got(well, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void aSubscriptionThatRegistersBesideOneThatLeftItWaitsForNothing() {
        Scene scene = new Scene();
        SimulatedGateway hung = scene.up("g1");
        SimulatedGateway well = scene.up("g2");
        scene.subscribe("s", "g1");
        scene.subscribe("t", "g2");
        scene.run(100);
        hung.mode = SimulatedGateway.Mode.HUNG;
        scene.changes(1);
        scene.run(100);
        scene.subscribe("s", "g2");
        List<ChangeEvent> past = scene.changes(3);
        scene.run(100);
        // It begins just behind the tail, where the group is that waits for the other gateway.
        scene.subscribe("u", "g2", Priority.NORMAL, ProgressMarker.NOWHERE);
        scene.run(1_000);
        assertThat(Scene.got(well, "u")).containsAll(Scene.ids(past));
        scene.run(10_000);
        assertThat(Scene.got(well, "s")).containsAll(Scene.ids(past));
    }
}
