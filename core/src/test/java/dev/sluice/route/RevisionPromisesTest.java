package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Changes of subscriptions that the owner of a partition has not heard of yet: nothing that is owed is lost (rules 3 and 4). */
class RevisionPromisesTest {
    private final Scene scene = new Scene();

    /** Not matched by {@link Scene#filtered}, but by {@link Scene#subscribe}. */
    private ChangeEvent ofAnotherGroup() {
        return scene.feed.append("db0", Operation.REPLACE, "c", "d", 1, false);
    }

    @Test
    void whatTheFormerGatewayDoesNotHoldAnyMoreIsOwedToTheNextOne() {
        SimulatedGateway g1 = scene.up("g1");
        SimulatedGateway g2 = scene.up("g2");
        g1.holds = id -> scene.registry.byId.get(id).gatewayId().equals("g1");
        scene.subscribe("s", "g1");
        scene.run(500);
        g1.mode = SimulatedGateway.Mode.SLOW;
        ChangeEvent change = scene.change("d");
        scene.run(200);
        scene.registry.late = true;
        scene.subscribe("s", "g2");
        scene.run(10_000);
        assertThat(g1.taken).as("it answered that it does not hold s").isNotEmpty();
        assertThat(g1.had).isEmpty();
        assertThat(scene.savedLow()).as("it is not settled").isEqualTo(scene.feed.place(change));
        scene.registry.show();
        scene.run(10_000);
        assertThat(Scene.got(g2, "s")).containsExactly(change.id());
    }

    @Test
    void aChangeThatTheSavedPositionDoesNotKnowIsOwedWhatCameAfterIt() {
        SimulatedGateway gateway = scene.up("g");
        scene.filtered("s", "g", null);
        scene.run(500);
        scene.registry.late = true;
        scene.subscribe("s", "g");
        ChangeEvent after = ofAnotherGroup();
        scene.run(10_000);
        assertThat(scene.savedLow()).as("the owner before read past it").isGreaterThan(scene.feed.place(after));
        scene.crash();
        scene.run(5_000);
        assertThat(Scene.got(gateway, "s")).containsExactly(after.id());
    }

    @Test
    void severalChangesThatTheSavedPositionDoesNotKnowAreOwedWhatCameAfterTheFirst() {
        SimulatedGateway g2 = scene.up("g2");
        scene.up("g1");
        scene.filtered("s", "g1", null);
        scene.run(500);
        scene.registry.late = true;
        scene.subscribe("s", "g1");
        ChangeEvent first = ofAnotherGroup();
        scene.subscribe("s", "g2");
        ChangeEvent second = ofAnotherGroup();
        for (int k = 0; k < 6; k++) {
            scene.subscribe("s", k % 2 == 0 ? "g1" : "g2");
        }
        scene.run(10_000);
        assertThat(scene.savedLow()).isGreaterThan(scene.feed.place(second));
        scene.crash();
        scene.run(5_000);
        assertThat(Scene.got(g2, "s")).containsExactly(first.id(), second.id());
    }

    @Test
    void aSavedRevisionIsNotAheadOfWhatWasApplied() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("other", "g");
        ProgressMarker before = scene.feed.end();
        List<ChangeEvent> events = new ArrayList<>(scene.changes(5));
        scene.run(2_000);
        int[] registered = new int[1];
        boolean[] saved = new boolean[1];
        // Registered while the tail is read: the next position that is saved has not applied it.
        scene.feed.beforeCall = () -> scene.subscribe("s" + registered[0]++, "g", Priority.NORMAL, before);
        scene.claim.whileSaving = () -> {
            scene.feed.beforeCall = () -> {};
            saved[0] = true;
        };
        scene.registry.beforeReading = () -> {
            if (saved[0]) {
                saved[0] = false;
                scene.claim.whileSaving = () -> {};
                scene.crash();
            }
        };
        events.addAll(scene.changes(40));
        scene.run(60_000);
        assertThat(registered[0]).isPositive();
        for (int k = 0; k < registered[0]; k++) {
            assertThat(Scene.got(gateway, "s" + k)).isEqualTo(Scene.ids(events));
        }
    }

    /** A withdrawn delivery counts as settled, so the rescan asks for the place first. */
    @Test
    void aSubscriptionThatChangedWhileTheWatchWasLostGoesOnWhereItWasBeforeItsMatchesAreWithdrawn() {
        Scene scene = new Scene();
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.run(500);
        gateway.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> events = scene.changes(6);
        scene.run(200);
        scene.registry.late = true;
        scene.subscribe("s", "g", Priority.HIGH, null);
        scene.registry.show();
        scene.registry.forgetChanges();
        scene.changes(1);
        scene.run(2_000);
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(60_000);
        assertThat(Scene.got(gateway, "s")).containsAll(Scene.ids(events));
    }
}
