package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.EventType;
import dev.sluice.lane.RoutingMode;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RESYNC that an operator orders, or that is owed to all because their positions were lost. */
class OrderedResyncTest {
    private final Scene scene = new Scene();

    private static List<EventType> types(SimulatedGateway gateway, String subscription) {
        return Scene.taken(gateway, subscription).stream().map(Delivery::type).toList();
    }

    /** Every subscription begins at its start: what it may have had comes again and says so, and nothing is missed. */
    @Test
    void afterTheLossOfPositionsEverythingSinceTheStartComesAgainMarked() {
        SimulatedGateway g = scene.up("g");
        scene.subscribe("a", "g");
        List<ChangeEvent> all = new ArrayList<>(scene.changes(3));
        scene.run(1000);
        scene.claim.restore("");
        scene.life.end();
        all.addAll(scene.changes(2));
        g.taken.clear();
        scene.crash();
        scene.run(2000);
        assertThat(Scene.taken(g, "a"))
                .extracting(each -> each.event().event().id())
                .isEqualTo(Scene.ids(all));
        assertThat(Scene.taken(g, "a")).allMatch(Delivery::redelivery);
    }

    /** What the log no longer has cannot come again: the subscription is told. */
    @Test
    void afterTheLossOfPositionsASubscriptionOlderThanTheLogIsToldToResync() {
        SimulatedGateway g = scene.up("g");
        scene.subscribe("a", "g");
        scene.changes(30);
        scene.run(1000);
        scene.claim.restore("");
        scene.life.end();
        scene.feed.evict("db0", 10);
        g.taken.clear();
        scene.crash();
        scene.run(3000);
        assertThat(types(g, "a")).startsWith(EventType.RESYNC).hasSize(11);
    }

    /** Killed again and again while it tells, at a gateway that is away for a third of the time. */
    @Test
    void afterTheLossOfPositionsEverySubscriptionOlderThanTheLogIsToldHoweverOftenTheOwnerIsKilled() {
        Scene two = new Scene(SceneSettings.of(Scene.SMALL), 2);
        SimulatedGateway gateway = two.up("g");
        int subscriptions = 700;
        for (int k = 0; k < subscriptions; k++) {
            two.registry.add(Subscription.of("s" + k, "g", "", "quiet", "{}"));
        }
        two.changes(30);
        two.run(1000);
        two.life.end();
        two.claims.forEach(each -> each.restore(""));
        two.feed.evict("db0", 2);
        List<Integer> told = new ArrayList<>();
        for (int k = 0; k < 12; k++) {
            gateway.mode = k % 3 == 1 ? SimulatedGateway.Mode.HUNG : SimulatedGateway.Mode.WELL;
            two.crash();
            two.run(60);
            two.claims.forEach(SimulatedClaim::persist);
            told.add(gateway.toldToResync.size());
        }
        assertThat(told).as("killed while it tells").anyMatch(each -> each > 0 && each < subscriptions);
        gateway.mode = SimulatedGateway.Mode.WELL;
        two.crash();
        two.run(120_000);
        assertThat(gateway.toldToResync).hasSize(subscriptions);
    }

    /** A store that lost one value: its subscriptions begin there at their start again. */
    @Test
    void theLossOfOnePartitionsPositionLosesNothing() {
        Scene two = new Scene(SceneSettings.of(Scene.SMALL), 2);
        SimulatedGateway gateway = two.up("g");
        two.subscribe("s", "g");
        List<ChangeEvent> all = new ArrayList<>(two.changes(7));
        two.run(1000);
        two.claims.forEach(SimulatedClaim::persist);
        two.life.end();
        two.claims.get(1).restore("");
        all.addAll(two.changes(14));
        two.crash();
        two.run(5000);
        assertThat(Set.copyOf(Scene.got(gateway, "s"))).isEqualTo(Set.copyOf(Scene.ids(all)));
        Set<EventId> before = new HashSet<>();
        assertThat(Scene.taken(gateway, "s"))
                .as("what comes again says so")
                .allMatch(each -> before.add(each.event().event().id()) || each.redelivery());
    }

    /** The store was restored from a backup, or the mirror has a copy from before the order; or nothing is left. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anOrderSurvivesThatThePositionIsLost(boolean copyFromBefore) {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.changes(3);
        scene.run(1000);
        scene.claim.persist();
        String copy = copyFromBefore ? scene.claim.saved() : "";
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.registry.resync("s");
        scene.run(1000);
        scene.life.end();
        scene.claim.restore(copy);
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.crash();
        scene.run(60_000);
        assertThat(gateway.toldToResync).containsExactly("s");
    }

    @Test
    void anOrderSurvivesACrashUntilItIsAcknowledged() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.subscribe("other", "g");
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.registry.resync("s");
        scene.run(1000);
        assertThat(scene.streamer.status().partitions())
                .extracting(StreamerStatus.OfPartition::health)
                .containsExactly(StreamerStatus.Health.STALE);
        scene.crash();
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(10_000);
        assertThat(gateway.toldToResync).containsExactly("s");
        assertThat(scene.streamer.status().partitions())
                .extracting(StreamerStatus.OfPartition::health)
                .containsExactly(StreamerStatus.Health.HEALTHY);
        scene.claim.persist();
        assertThat(scene.claim.saved()).doesNotContain("resync");
    }

    @Test
    void aSubscriptionThatMovesIsToldWhereItIsThen() {
        scene.up("g");
        SimulatedGateway h = scene.up("h");
        scene.subscribe("s", "g");
        scene.run(1000);
        scene.streamer.away("g");
        scene.registry.resync("s");
        scene.run(1000);
        scene.subscribe("s", "h");
        scene.run(2000);
        assertThat(h.toldToResync).containsExactly("s");
        scene.run(10_000);
        assertThat(types(h, "s")).containsExactly(EventType.RESYNC);
    }

    /** An order withdraws no queued match: a gateway that compares revisions would want all of those later. */
    @Test
    void anOrderDoesNotRaiseTheRevisionThatDeliveriesNameAndNamesNone() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.changes(2);
        scene.run(1000);
        scene.registry.resync("s");
        scene.changes(2);
        scene.run(1000);
        assertThat(types(gateway, "s")).hasSize(5).contains(EventType.RESYNC);
        assertThat(Scene.taken(gateway, "s"))
                .allSatisfy(each -> assertThat(each.revision()).isEqualTo(each.type() == EventType.RESYNC ? 0 : 1));
        scene.subscribe("s", "g", Priority.HIGH, null);
        scene.changes(1);
        scene.run(1000);
        assertThat(Scene.taken(gateway, "s").getLast().revision()).isEqualTo(3);
    }

    /** More than a saved position has room for: the others do not begin again for that. */
    @Test
    void ordersThatDoNotFitIntoThePositionCostOnlyThoseTheyAreFor() {
        SimulatedGateway here = scene.up("here");
        scene.up("away");
        scene.subscribe("s", "here");
        scene.run(100);
        List<ChangeEvent> events = scene.changes(5);
        scene.run(1_000);
        scene.streamer.away("away");
        String longName = "x".repeat(120);
        for (int k = 0; k < 700; k++) {
            scene.registry.add(Subscription.of(longName + k, "away", "", "quiet", "{}"));
        }
        scene.run(1_000);
        for (int k = 0; k < 700; k++) {
            scene.registry.resync(longName + k);
        }
        scene.run(10_000);
        scene.claim.persist();
        here.taken.clear();
        scene.crash();
        scene.streamer.up(Scene.address("away"));
        scene.run(60_000);
        assertThat(here.taken).as("it had all %s events", events.size()).isEmpty();
        assertThat(scene.gateway("away").toldToResync).hasSize(700);
    }

    @Test
    void anOrderEndsWhenAllThatAreLeftHaveAcknowledgedIt() {
        Scene loud = new Scene(SceneSettings.of(Scene.SMALL, RoutingMode.BROADCAST, 0));
        SimulatedGateway well = loud.up("well");
        SimulatedGateway hangs = loud.up("hangs");
        loud.subscribe("s", "elsewhere");
        loud.run(500);
        hangs.mode = SimulatedGateway.Mode.HUNG;
        loud.registry.resync("s");
        loud.run(5_000);
        assertThat(well.toldToResync).containsExactly("s");
        loud.gone("hangs");
        loud.run(5_000);
        loud.claim.persist();
        assertThat(loud.claim.saved()).doesNotContain("resync");
    }

    /** The order changes the record, and nothing of what is queued. */
    @Test
    void whatIsQueuedBeforeAnOrderAndNotHeldAnyMoreIsSettled() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.run(100);
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.changes(5);
        scene.run(500);
        scene.registry.resync("s");
        scene.run(500);
        gateway.holds = id -> false;
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(60_000);
        assertThat(scene.streamer.status().partitions())
                .extracting(StreamerStatus.OfPartition::unacknowledged)
                .containsExactly(0L);
    }
}
