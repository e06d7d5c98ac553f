package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.Partitioner;
import dev.sluice.model.Subscription;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A delete that one delivery tells to many subscriptions counts for those that its gateway had, and for no other. */
class DeletesForManyTest {
    private static final int CHANGES = 10;

    private final Scene scene = new Scene();

    /** It tells whom the store says that it has, whatever the Streamer has heard. */
    private SimulatedGateway gateway(String name) {
        SimulatedGateway gateway = scene.up(name);
        gateway.concerned = delivery -> scene.registry.byId.values().stream()
                .filter(each -> each.gatewayId().equals(name) && !each.filter().equals("{}"))
                .map(Subscription::id)
                .toList();
        gateway.holds = id -> {
            Subscription now = scene.registry.byId.get(id);
            return now != null && now.gatewayId().equals(name);
        };
        return gateway;
    }

    /** Otherwise each delete would cost as many deliveries as there are subscriptions, for as long as one is stuck. */
    @Test
    void aStuckSubscriptionIsExceptedAndToldByItself() {
        SimulatedGateway g1 = gateway("g1");
        stick(g1);
        List<ChangeEvent> deleted =
                Stream.generate(() -> scene.delete("d")).limit(5).toList();
        scene.run(60_000);
        assertThat(g1.taken)
                .hasSize(5)
                .allMatch(each -> each.representative() && each.except().equals(List.of("stuck")));
        for (String each : List.of("a", "b", "c")) {
            assertThat(Scene.got(g1, each)).containsSubsequence(Scene.ids(deleted));
        }
        assertThat(Scene.got(g1, "stuck")).isEmpty();
        g1.isStuck = id -> false;
        scene.run(60_000);
        assertThat(Scene.got(g1, "stuck"))
                .hasSize(CHANGES + 5)
                .endsWith(Scene.ids(deleted).toArray(EventId[]::new));
        assertThat(g1.taken).hasSize(5 + CHANGES + 5);
        scene.delete("d");
        scene.run(1_000);
        assertThat(g1.taken.getLast())
                .matches(each -> each.representative() && each.except().isEmpty());
    }

    @Test
    void aGatewayThatDoesNotUnderstandExceptionsIsToldEach() {
        SimulatedGateway g1 = gateway("g1");
        scene.streamer.up(new GatewayAddress("g1", Protocol.HTTP, "http://g1"));
        stick(g1);
        ChangeEvent deleted = scene.delete("d");
        scene.run(60_000);
        assertThat(g1.taken)
                .noneMatch(Delivery::representative)
                .extracting(Delivery::subscriptionId)
                .containsExactlyInAnyOrder("a", "b", "c");
        g1.isStuck = id -> false;
        scene.run(60_000);
        assertThat(Scene.got(g1, "stuck")).hasSize(CHANGES + 1).endsWith(deleted.id());
    }

    /** Subscription "stuck" has a place of its own before the next delete; the others have nothing. */
    private void stick(SimulatedGateway g1) {
        for (String each : List.of("a", "b", "c", "stuck")) {
            scene.filtered(each, "g1", null);
        }
        scene.run(500);
        g1.isStuck = id -> id.equals("stuck");
        for (int k = 0; k < CHANGES; k++) {
            scene.change("x");
            scene.run(1_000);
        }
        assertThat(g1.taken).extracting(Delivery::subscriptionId).containsOnly("a", "b", "c");
        g1.taken.clear();
    }

    @Test
    void aSubscriptionThatWasGivenAwayBeforeThePartitionHeardOfItIsToldByItsNewGateway() {
        SimulatedGateway g1 = gateway("g1");
        SimulatedGateway g2 = gateway("g2");
        scene.filtered("a", "g1", null);
        scene.filtered("b", "g1", null);
        scene.run(500);
        g1.mode = SimulatedGateway.Mode.SLOW;
        ChangeEvent deleted = scene.delete("d");
        scene.run(500);
        scene.registry.late = true;
        scene.filtered("b", "g2", null);
        scene.run(10_000);
        assertThat(g1.taken).as("one for both").singleElement().matches(Delivery::representative);
        assertThat(Scene.got(g1, "a")).containsExactly(deleted.id());
        assertThat(Scene.got(g1, "b")).as("it was not there any more").isEmpty();
        scene.claim.persist();
        assertThat(scene.savedLow())
                .as("it is not settled while changes are not heard of")
                .isEqualTo(placeOf(deleted));
        scene.registry.show();
        scene.run(5_000);
        assertThat(Scene.got(g2, "b")).containsExactly(deleted.id());
        assertThat(scene.savedLow()).isGreaterThan(placeOf(deleted));
    }

    @Test
    void aSubscriptionThatWasGivenAwayIsToldAfterACrashToo() {
        SimulatedGateway g1 = gateway("g1");
        SimulatedGateway g2 = gateway("g2");
        scene.filtered("a", "g1", null);
        scene.filtered("b", "g1", null);
        scene.run(500);
        scene.claim.persist();
        g1.mode = SimulatedGateway.Mode.SLOW;
        ChangeEvent deleted = scene.delete("d");
        scene.run(500);
        scene.registry.late = true;
        scene.filtered("b", "g2", null);
        scene.run(10_000);
        scene.claim.persist();
        scene.crash();
        scene.run(5_000);
        assertThat(Scene.got(g2, "b")).containsExactly(deleted.id());
    }

    @Test
    void aSubscriptionWhoseFilterMatchesEveryDeleteByNowIsToldByItself() {
        SimulatedGateway g1 = gateway("g1");
        scene.filtered("a", "g1", null);
        scene.filtered("b", "g1", null);
        scene.run(500);
        g1.mode = SimulatedGateway.Mode.SLOW;
        ChangeEvent deleted = scene.delete("d");
        scene.run(500);
        scene.registry.late = true;
        scene.subscribe("b", "g1");
        scene.run(10_000);
        assertThat(Scene.got(g1, "b")).as("it is not stood for any more").isEmpty();
        scene.registry.show();
        scene.run(5_000);
        assertThat(Scene.got(g1, "b")).containsExactly(deleted.id());
    }

    @Test
    void aDeleteIsSettledWhenTheStoreAnswersAgain() {
        SimulatedGateway g1 = gateway("g1");
        scene.filtered("a", "g1", null);
        scene.filtered("b", "g1", null);
        scene.run(500);
        scene.registry.away = true;
        ChangeEvent deleted = scene.delete("d");
        scene.run(3_000);
        assertThat(Scene.got(g1, "b")).containsExactly(deleted.id());
        assertThat(scene.savedLow()).isEqualTo(placeOf(deleted));
        scene.registry.away = false;
        scene.run(3_000);
        assertThat(scene.savedLow()).isGreaterThan(placeOf(deleted));
        assertThat(List.copyOf(g1.taken)).as("the delete is told once").hasSize(1);
    }

    @Test
    void aDeleteThatItsGatewayWantsLaterForOneSubscriptionHoldsUpNoOther() {
        SimulatedGateway g1 = gateway("g1");
        for (int k = 0; k < 20; k++) {
            scene.filtered("s" + k, "g1", null);
        }
        scene.run(500);
        g1.isStuck = id -> id.equals("s0");
        ChangeEvent deleted = scene.delete("d");
        scene.run(1_000);
        assertThat(Scene.got(g1, "s1"))
                .as("one delivery for all, and it is refused")
                .isEmpty();
        List<ChangeEvent> events = scene.changes(5);
        scene.run(30_000);
        for (int k = 1; k < 20; k++) {
            assertThat(Scene.got(g1, "s" + k))
                    .as("s" + k)
                    .contains(deleted.id())
                    .containsAll(Scene.ids(events));
        }
        assertThat(Scene.got(g1, "s0")).isEmpty();
        g1.isStuck = id -> false;
        scene.run(30_000);
        assertThat(Scene.got(g1, "s0")).contains(deleted.id()).containsAll(Scene.ids(events));
    }

    private int placeOf(ChangeEvent event) {
        return scene.feed.place(event);
    }

    /** A RESYNC in the line behind a stuck subscription's batch does not keep a delete that stands for many from going out. */
    @Test
    void anOrderThatWaitsBehindAStuckSubscriptionHoldsUpNoDeleteOfAnotherPartition() {
        Scene two = new Scene(SceneSettings.of(Scene.SMALL), 2);
        SimulatedGateway g1 = two.up("g1");
        g1.concerned = delivery -> List.of("a", "stuck");
        two.filtered("a", "g1", null);
        two.filtered("stuck", "g1", null);
        two.run(500);
        g1.isStuck = id -> id.equals("stuck");
        String first = documentOf(0);
        for (int k = 0; k < CHANGES; k++) {
            two.change(first);
            two.run(1_000);
        }
        two.registry.resync("stuck");
        two.run(1_000);
        ChangeEvent delete = two.delete(documentOf(1));
        g1.concerned = delivery -> List.of("a");
        two.run(5_000);
        assertThat(Scene.got(g1, "a")).contains(delete.id());
    }

    private static String documentOf(int partition) {
        Partitioner partitioner = new Partitioner(2);
        int k = 0;
        while (partitioner.partitionOf("c", "d" + k) != partition) {
            k++;
        }
        return "d" + k;
    }
}
