package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.EventType;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Priority;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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
}
