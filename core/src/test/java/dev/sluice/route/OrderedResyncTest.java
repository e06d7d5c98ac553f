package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.EventType;
import dev.sluice.model.ChangeEvent;
import java.util.List;
import org.junit.jupiter.api.Test;

/** RESYNC that an operator orders, or that is owed to all because their positions were lost. */
class OrderedResyncTest {
    private final Scene scene = new Scene();

    private static List<EventType> types(SimulatedGateway gateway, String subscription) {
        return Scene.taken(gateway, subscription).stream().map(Delivery::type).toList();
    }

    @Test
    void afterTheLossOfPositionsEverySubscriptionIsToldOnceAndGoesOnFromNow() {
        SimulatedGateway g = scene.up("g");
        SimulatedGateway h = scene.up("h");
        scene.subscribe("a", "g");
        scene.subscribe("b", "h");
        scene.changes(3);
        scene.run(1000);
        scene.claim.restore(Streamer.afterLoss());
        scene.life.end();
        scene.changes(2);
        g.taken.clear();
        h.taken.clear();
        scene.crash();
        scene.run(2000);
        ChangeEvent later = scene.change("d");
        scene.run(1000);
        assertThat(types(g, "a")).containsExactly(EventType.RESYNC, EventType.REPLACE);
        assertThat(types(h, "b")).containsExactly(EventType.RESYNC, EventType.REPLACE);
        assertThat(Scene.taken(g, "a").getLast().event().event().id()).isEqualTo(later.id());
        assertThat(Scene.taken(g, "a").getLast().redelivery()).isFalse();
        assertThat(scene.streamer.counters().resyncs()).isEqualTo(2);
        scene.run(10_000);
        scene.claim.persist();
        scene.crash();
        scene.run(2000);
        assertThat(types(g, "a")).as("told once").containsOnlyOnce(EventType.RESYNC);
    }

    /** What changes between the client's reading and a partition's start would reach nobody. */
    @Test
    void afterTheLossOfPositionsNobodyIsToldBeforeEveryPartitionKnowsWhereItBegins() {
        Scene two = new Scene(StreamerSettings.DEFAULT.withLanes(Scene.SMALL).withPartitions(2));
        SimulatedGateway gateway = two.up("g");
        two.subscribe("s", "g");
        two.changes(7);
        two.run(1000);
        two.life.end();
        two.claims.forEach(each -> each.restore(Streamer.afterLoss()));
        two.feed.unavailable.add(1);
        gateway.taken.clear();
        two.crash();
        two.run(3000);
        assertThat(types(gateway, "s")).doesNotContain(EventType.RESYNC);
        two.claims.forEach(SimulatedClaim::persist);
        two.crash();
        two.run(3000);
        assertThat(types(gateway, "s")).doesNotContain(EventType.RESYNC);
        two.changes(7);
        two.feed.unavailable.clear();
        two.run(3000);
        assertThat(types(gateway, "s")).containsOnlyOnce(EventType.RESYNC);
        List<ChangeEvent> later = two.changes(14);
        two.run(2000);
        assertThat(Scene.got(gateway, "s")).containsAll(Scene.ids(later));
    }

    @Test
    void anOrderSurvivesACrashUntilItIsAcknowledged() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.subscribe("other", "g");
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.streamer.resync(List.of("s"));
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
        scene.streamer.resync(List.of("s"));
        scene.run(1000);
        scene.subscribe("s", "h");
        scene.run(2000);
        assertThat(h.toldToResync).containsExactly("s");
        scene.run(10_000);
        assertThat(types(h, "s")).containsExactly(EventType.RESYNC);
    }
}
