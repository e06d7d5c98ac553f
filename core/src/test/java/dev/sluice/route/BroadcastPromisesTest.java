package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lane.RoutingMode;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Row 28: whoever waits, is broadcast or has a gateway of its own, and changes between these, loses nothing. */
class BroadcastPromisesTest {
    private final Scene scene = scene(0);

    private static Scene scene(int fanout) {
        return new Scene(SceneSettings.of(Scene.SMALL, RoutingMode.BROADCAST, fanout));
    }

    private void crashIf(boolean crash) {
        if (crash) {
            scene.crash();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWaitedForAnybodyIsToldToAllWhoCome(boolean crash) {
        scene.subscribe("s", "elsewhere");
        List<ChangeEvent> events = new ArrayList<>(scene.changes(3));
        scene.run(500);
        crashIf(crash);
        SimulatedGateway first = scene.up("first");
        scene.run(500);
        SimulatedGateway second = scene.up("second");
        events.addAll(scene.changes(2));
        scene.run(6000);
        assertThat(Scene.got(first, "s")).isEqualTo(Scene.ids(events));
        assertThat(Scene.got(second, "s"))
                .as("perhaps with what has the time of the last before")
                .endsWith(Scene.ids(events.subList(3, 5)).toArray(EventId[]::new));
        assertThat(scene.savedLow()).isEqualTo(scene.feed.all.size());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itsOwnGatewayGetsWhatThoseWhoHeardItHaveNotAcknowledged(boolean crash) {
        SimulatedGateway first = scene.up("first");
        scene.subscribe("s", "own");
        first.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> events = new ArrayList<>(scene.changes(40));
        scene.run(2000);
        SimulatedGateway own = scene.up("own");
        crashIf(crash);
        events.addAll(scene.changes(2));
        scene.run(20_000);
        assertThat(Scene.got(own, "s")).isEqualTo(Scene.ids(events));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatTheLastOneThereHasNotAcknowledgedWaitsForTheNext(boolean crash) {
        SimulatedGateway first = scene.up("first");
        scene.subscribe("s", "elsewhere");
        first.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> events = new ArrayList<>(scene.changes(3));
        scene.run(500);
        scene.gone("first");
        scene.gateways.remove("first");
        events.addAll(scene.changes(2));
        scene.run(500);
        crashIf(crash);
        SimulatedGateway second = scene.up("second");
        scene.run(5000);
        assertThat(Scene.got(second, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void whatOneWhoIsAwayHasNotAcknowledgedItsOwnGatewayGets() {
        SimulatedGateway first = scene.up("first");
        scene.subscribe("s", "own");
        first.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> events = new ArrayList<>(scene.changes(3));
        scene.run(500);
        scene.streamer.away("first");
        events.addAll(scene.changes(2));
        scene.run(500);
        SimulatedGateway own = scene.up("own");
        scene.run(5000);
        assertThat(Scene.got(own, "s")).isEqualTo(Scene.ids(events));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatAGatewayOwedWhenItsGraceEndedIsBroadcast(boolean crash) {
        SimulatedGateway own = scene.up("own");
        SimulatedGateway second = scene.up("second");
        scene.subscribe("s", "own", Priority.HIGH, null);
        List<ChangeEvent> seen = scene.changes(2);
        scene.run(500);
        own.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> events = new ArrayList<>(scene.changes(3));
        scene.run(500);
        scene.gone("own");
        scene.gateways.remove("own");
        crashIf(crash);
        events.addAll(scene.changes(2));
        scene.run(5000);
        assertThat(Scene.got(own, "s")).isEqualTo(Scene.ids(seen));
        assertThat(Scene.got(second, "s"))
                .endsWith(Scene.ids(events).toArray(EventId[]::new))
                .as("after a crash perhaps with what was acknowledged and not saved")
                .hasSizeLessThanOrEqualTo(7);
    }

    @Test
    void whoJoinsTakesOverWhatNobodyHasAcknowledged() {
        SimulatedGateway first = scene.up("first");
        scene.subscribe("s", "elsewhere");
        first.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> events = scene.changes(3);
        scene.run(500);
        SimulatedGateway second = scene.up("second");
        scene.gone("first");
        scene.run(5000);
        assertThat(Scene.got(second, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void afterACrashThoseWhoAreThereHearWhatOneWhoIsGoneHadNotAcknowledged() {
        SimulatedGateway first = scene.up("first");
        scene.subscribe("s", "elsewhere");
        first.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> events = scene.changes(60);
        scene.run(6000);
        scene.claim.persist();
        scene.gateways.remove("first");
        SimulatedGateway second = scene.gateway("second");
        scene.crash();
        scene.run(20_000);
        assertThat(Scene.got(second, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void whoIsAwayForAWhileHearsWhatCameMeanwhile() {
        SimulatedGateway first = scene.up("first");
        SimulatedGateway second = scene.up("second");
        scene.subscribe("s", "elsewhere");
        List<ChangeEvent> events = new ArrayList<>(scene.changes(2));
        scene.run(500);
        scene.streamer.away("second");
        events.addAll(scene.changes(3));
        scene.run(500);
        scene.streamer.up(Scene.address("second"));
        scene.run(2000);
        assertThat(Scene.got(first, "s")).isEqualTo(Scene.ids(events));
        assertThat(Scene.got(second, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void aStartInThePastHoldsForABroadcastAndConcernsNobodyElse() {
        SimulatedGateway first = scene.up("first");
        scene.subscribe("neighbour", "elsewhere");
        ProgressMarker marker = scene.feed.end();
        List<ChangeEvent> events = new ArrayList<>(scene.changes(3));
        scene.run(500);
        scene.subscribe("s", "elsewhere", Priority.NORMAL, marker);
        events.addAll(scene.changes(2));
        scene.run(5000);
        assertThat(Scene.got(first, "s")).isEqualTo(Scene.ids(events));
        assertThat(Scene.taken(first, "neighbour"))
                .as("a neighbour hears nothing twice")
                .extracting(each -> each.event().event().id())
                .isEqualTo(Scene.ids(events));
    }

    @Test
    void aStartInThePastThatWaitsForAnybodyIsNotForgottenWhenTheyCome() {
        ProgressMarker marker = scene.feed.end();
        List<ChangeEvent> events = scene.changes(3);
        scene.run(500);
        scene.subscribe("s", "", Priority.NORMAL, marker);
        scene.run(500);
        SimulatedGateway first = scene.up("first");
        scene.run(5000);
        assertThat(Scene.got(first, "s")).isEqualTo(Scene.ids(events));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSubscriptionThatMovesBetweenAnUnknownAndAKnownGatewayLosesNothing(boolean crash) {
        SimulatedGateway first = scene.up("first");
        SimulatedGateway own = scene.up("own");
        first.mode = SimulatedGateway.Mode.HUNG;
        own.mode = SimulatedGateway.Mode.HUNG;
        scene.subscribe("s", "elsewhere");
        List<ChangeEvent> events = new ArrayList<>(scene.changes(3));
        scene.run(500);
        scene.subscribe("s", "own", Priority.HIGH, null);
        events.addAll(scene.changes(3));
        scene.run(500);
        crashIf(crash);
        scene.subscribe("s", "nowhere", Priority.LOW, null);
        events.addAll(scene.changes(3));
        scene.run(500);
        crashIf(crash);
        own.mode = SimulatedGateway.Mode.WELL;
        scene.run(60_000);
        assertThat(Scene.got(own, "s")).isEqualTo(Scene.ids(events));
        first.mode = SimulatedGateway.Mode.WELL;
        scene.run(60_000);
        assertThat(Scene.got(first, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void aCrashRightAfterANewPriorityIsStoredTakesNothingFromThoseWhoHearItLater() {
        SimulatedGateway first = scene.up("first");
        SimulatedGateway second = scene.up("second");
        scene.subscribe("s", "elsewhere", Priority.LOW, null);
        second.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> events = scene.changes(5);
        scene.run(500);
        scene.subscribe("s", "elsewhere", Priority.HIGH, null);
        scene.crash();
        second.mode = SimulatedGateway.Mode.WELL;
        scene.run(20_000);
        // With a new revision a gateway forgets what it has told: it may tell all of it again, in order.
        assertThat(Scene.got(first, "s").stream().distinct().toList()).isEqualTo(Scene.ids(events));
        assertThat(Scene.got(second, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void whereOnlySomeHearItNothingIsLostWhenTheyBecomeOthers() {
        Scene narrow = scene(1);
        List<SimulatedGateway> all = new ArrayList<>(List.of(narrow.up("g0"), narrow.up("g1")));
        for (int k = 0; k < 8; k++) {
            narrow.subscribe("s" + k, "elsewhere");
        }
        all.forEach(each -> each.mode = SimulatedGateway.Mode.HUNG);
        List<ChangeEvent> events = new ArrayList<>(narrow.changes(3));
        narrow.run(500);
        all.add(narrow.up("g2"));
        events.addAll(narrow.changes(2));
        narrow.run(500);
        narrow.gone("g0");
        events.addAll(narrow.changes(2));
        narrow.run(500);
        all.forEach(each -> each.mode = SimulatedGateway.Mode.WELL);
        narrow.run(60_000);
        for (int k = 0; k < 8; k++) {
            Set<EventId> got = new HashSet<>();
            for (SimulatedGateway each : all) {
                got.addAll(Scene.got(each, "s" + k));
            }
            assertThat(got).as("s" + k).containsAll(Scene.ids(events));
        }
    }

    @Test
    void aDeleteThatMayConcernManyIsToldToEachWhenItWaited() {
        scene.filtered("a", "elsewhere", null);
        scene.filtered("b", "elsewhere", null);
        ChangeEvent delete = scene.delete("d");
        scene.run(500);
        SimulatedGateway first = scene.up("first");
        scene.run(2000);
        assertThat(Scene.got(first, "a")).containsExactly(delete.id());
        assertThat(Scene.got(first, "b")).containsExactly(delete.id());
    }

    @Test
    void whatIsNoLongerKeptIsToldAsAResync() {
        scene.subscribe("s", "elsewhere");
        // More than what stays in memory.
        scene.changes(1_100);
        scene.run(20_000);
        scene.feed.evict("db0", 10);
        SimulatedGateway first = scene.up("first");
        scene.run(5000);
        assertThat(first.toldToResync).contains("s");
        assertThat(Scene.got(first, "s")).hasSize(11);
    }

    /** The router changes in the middle of a step; the groups of the partition follow it together, after it. */
    @Test
    void aGatewayThatComesInTheMiddleOfAStepGetsEverythingThatWaitedForOne() {
        Scene loud = scene(0);
        loud.subscribe("s", "nobody");
        loud.run(500);
        List<ChangeEvent> waited = loud.changes(10);
        loud.run(2_000);
        ChangeEvent during = loud.change("during");
        boolean[] came = new boolean[1];
        loud.registry.beforeReading = () -> {
            if (!came[0]) {
                came[0] = true;
                loud.up("g");
            }
        };
        loud.run(60_000);
        assertThat(came[0]).isTrue();
        assertThat(Scene.got(loud.gateway("g"), "s"))
                .containsAll(Scene.ids(waited))
                .contains(during.id());
    }
}
