package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.Delivery;
import dev.sluice.lane.RoutingMode;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Partitioner;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.SubscriptionEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a registration promises, and what the markers do that deliveries carry. */
class RegisterPromisesTest {
    private static final int TWO = 2;

    /** Row 40: a partition hears of a registration late, and has read on meanwhile. */
    @Test
    void row40_aRegistrationIsOwedWhatComesAfterItsAnswerHoweverLateAnOwnerHearsOfIt() {
        Scene scene = new Scene();
        SimulatedGateway gateway = scene.up("g");
        scene.changes(3);
        scene.registry.late = true;
        scene.subscribe("s", "g");
        List<ChangeEvent> changes = scene.changes(10);
        scene.run(1000);
        assertThat(Scene.got(gateway, "s")).isEmpty();
        scene.registry.show();
        scene.run(1000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(changes));
    }

    /** Nothing is saved of a partition that never began: its subscriptions begin at their start. */
    @Test
    void row40_aRegistrationBeforeAnyPartitionIsReadLosesNothing() {
        Scene scene = new Scene();
        SimulatedGateway gateway = scene.up("g");
        SimulatedClaim fresh = new SimulatedClaim(0, (partition, text) -> {});
        scene.feed.failing = 1;
        scene.streamer.assigned(fresh.take());
        scene.run(1000);
        scene.subscribe("s", "g");
        List<ChangeEvent> changes = scene.changes(5);
        scene.run(1000);
        scene.feed.failing = 0;
        fresh.away = true;
        scene.run(2000);
        assertThat(Scene.got(gateway, "s"))
                .as("what may be sent cannot be saved")
                .isEmpty();
        fresh.away = false;
        scene.run(2000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(changes));
    }

    /** Row 20 of issue 12: a receiver that drops repeats by itself, as JetStream does, would drop what is asked for again. */
    @Test
    void eachStartInThePastIsToldApartFromTheDeliveriesBeforeIt() {
        Scene scene = new Scene();
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.run(100);
        ProgressMarker before = scene.feed.end();
        ChangeEvent change = scene.change("d");
        scene.run(1000);
        for (int k = 0; k < 2; k++) {
            scene.subscribe("s", "g", Priority.NORMAL, before);
            scene.run(1000);
        }
        List<Delivery> taken = Scene.taken(gateway, "s");
        assertThat(taken).extracting(each -> each.event().event().id()).containsOnly(change.id());
        assertThat(taken).extracting(Delivery::token).as("of one owner").hasSize(3);
        assertThat(taken)
                .extracting(each -> each.scope().start())
                .doesNotHaveDuplicates()
                .isSorted();
    }

    /** A marker is of all partitions: one that is not here may be behind it. */
    @Test
    void aMarkerIsOnlyToldWhereEveryPartitionIsKnown() {
        Scene scene = new Scene(SceneSettings.of(Scene.SMALL), TWO);
        SimulatedClaim second = new SimulatedClaim(1, (partition, text) -> {});
        scene.streamer.assigned(second.take());
        scene.run(1000);
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.run(100);
        scene.change(document(0));
        scene.run(1000);
        assertThat(progress(gateway)).isNotEmpty();

        scene.streamer.lost(1, second.token());
        scene.run(1000);
        scene.change(document(0));
        scene.run(1000);
        assertThat(progress(gateway)).isEmpty();
        assertThat(scene.streamer.lowWater("g")).isEmpty();

        scene.streamer.assigned(second.take());
        scene.run(100);
        scene.change(document(0));
        scene.run(1000);
        assertThat(progress(gateway)).isNotEmpty();
    }

    private static String progress(SimulatedGateway gateway) {
        return gateway.taken.getLast().progress();
    }

    private static String document(int partition) {
        int k = 0;
        while (true) {
            String name = "d" + k++;
            if (new Partitioner(2).partitionOf("c", name) == partition) {
                return name;
            }
        }
    }

    /** The node that writes a registration has heard of less than the partition has delivered. */
    @ParameterizedTest
    @ValueSource(ints = {10, 1_500})
    void theMarkerOfARegistrationSkipsNothingWhileALaneIsAheadOfIt(int ahead) {
        Scene scene = new Scene();
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("neighbour", "g");
        scene.changes(5);
        scene.run(1000);
        scene.feed.heardLate = scene.feed.heard();
        List<ChangeEvent> owed = new ArrayList<>(scene.changes(ahead));
        scene.run(30_000);
        assertThat(Scene.got(gateway, "neighbour")).as("its lane is ahead").hasSize(5 + ahead);
        scene.subscribe("s", "g");
        assertThat(scene.registry.stored.get("s").start().marker().position("db0"))
                .as("what Register answers")
                .hasValueSatisfying(
                        at -> assertThat(scene.feed.index("db0", at)).isEqualTo(scene.feed.place(owed.getFirst())));
        owed.addAll(scene.changes(5));
        scene.run(30_000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(owed));
        assertThat(Scene.taken(gateway, "neighbour")).as("nothing twice").hasSize(5 + ahead + 5);
    }

    /** The reader for those behind is faster than the partition's own. */
    @Test
    void theMarkerOfARegistrationSkipsNothingWhenThePartitionsReaderIsSlow() {
        Scene scene = new Scene();
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("neighbour", "g");
        scene.run(100);
        scene.streamer.away("g");
        List<ChangeEvent> all = new ArrayList<>(scene.changes(30));
        scene.run(1000);
        scene.feed.heldReaders = "streamer";
        scene.feed.heardLate = scene.feed.heard();
        List<ChangeEvent> owed = scene.changes(10);
        scene.streamer.up(Scene.address("g"));
        scene.run(5000);
        scene.subscribe("s", "g");
        scene.run(1000);
        scene.feed.heldReaders = "none";
        owed.addAll(scene.changes(5));
        scene.run(10_000);
        all.addAll(owed);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(owed));
        assertThat(Scene.taken(gateway, "neighbour"))
                .extracting(each -> each.event().event().id())
                .isEqualTo(Scene.ids(all));
    }

    /** What another gateway is owed comes to this one: the marker that was right before is ahead of it. */
    @Test
    void aMarkerDoesNotPassWhatAGatewayHasJustTakenOver() {
        Scene scene = new Scene(SceneSettings.of(Scene.SMALL, RoutingMode.CONSISTENT_HASH, 0));
        SimulatedGateway g = scene.up("g");
        SimulatedGateway h = scene.up("h");
        scene.subscribe("s", "g");
        scene.subscribe("t", "h");
        g.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> changes = scene.changes(10);
        scene.run(500);
        scene.change("d");
        scene.run(20);
        scene.gone("g");
        scene.run(5);
        for (Delivery each : Scene.taken(h, "s")) {
            int passed = each.progress().isEmpty()
                    ? 0
                    : scene.feed.index(
                            "db0",
                            ProgressMarker.decode(each.progress())
                                    .position("db0")
                                    .orElseThrow());
            assertThat(passed).isLessThanOrEqualTo(scene.feed.place(changes.getFirst()));
        }
        scene.run(1000);
        assertThat(Scene.got(h, "s")).containsAll(Scene.ids(changes));
    }

    /** The others were past it, and one partition came later: it has not begun there yet. */
    @Test
    void aStartIsNotOverBeforeEveryPartitionHasBeenThere() {
        Scene scene = new Scene(SceneSettings.of(Scene.SMALL), TWO);
        SimulatedClaim second = new SimulatedClaim(1, (partition, text) -> {});
        scene.streamer.assigned(second.take());
        scene.run(1000);
        SimulatedGateway gateway = scene.up("g");
        ProgressMarker before = scene.feed.end();
        List<ChangeEvent> changes = scene.changes(10);
        scene.run(1000);
        second.persist();
        scene.streamer.lost(1, second.token());
        Subscription s = Subscription.of("s", "g", "", "c", "{}").startingAt(Optional.of(before));
        scene.registry.add(s);
        scene.crash();
        scene.run(3000);
        scene.streamer.assigned(second.take());
        scene.run(3000);
        assertThat(Scene.got(gateway, "s")).containsExactlyInAnyOrderElementsOf(Scene.ids(changes));
    }

    /** The position that names it was replaced by one that does not, and that was not stored yet. */
    @Test
    void oneThatEndedAndComesAgainDoesNotBeginAfterACrashWhereItStood() {
        Scene scene = new Scene();
        SimulatedGateway gateway = scene.up("g");
        gateway.mode = SimulatedGateway.Mode.DOWN;
        ProgressMarker before = scene.feed.end();
        scene.changes(5);
        scene.run(100);
        scene.subscribe("s", "g", Priority.NORMAL, before);
        scene.run(10_000);
        scene.claim.persist();
        assertThat(scene.claim.saved()).contains("\"of\":[\"s\"");
        scene.registry.remove("s", SubscriptionEnd.REMOVED);
        scene.run(10);
        scene.subscribe("s", "g");
        scene.crash();
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.streamer.up(Scene.address("g"));
        ChangeEvent later = scene.change("d");
        scene.run(60_000);
        assertThat(Scene.got(gateway, "s")).containsExactly(later.id());
    }

    /** Killed after its gateway and subscriptions had ended, and before that was saved. */
    @Test
    void aClassWithoutSubscriptionsIsNotReadAgainAfterACrash() {
        Scene scene = new Scene();
        scene.up("g").mode = SimulatedGateway.Mode.DOWN;
        scene.subscribe("s", "g");
        scene.changes(5);
        scene.run(8000);
        scene.changes(5);
        scene.run(8000);
        scene.claim.persist();
        assertThat(scene.claim.saved()).contains("normal:g:g");
        scene.registry.remove("s", SubscriptionEnd.GATEWAY_GONE);
        scene.gateways.remove("g");
        scene.crash();
        scene.run(1000);
        assertThat(scene.streamer.status().lanes()).isEmpty();
    }
}
