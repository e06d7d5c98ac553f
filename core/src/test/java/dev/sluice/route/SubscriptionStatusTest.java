package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.lane.RoutingMode;
import dev.sluice.route.SubscriptionStatus.GroupKind;
import dev.sluice.route.SubscriptionStatus.Standing;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where one subscription stands in each partition, and why it waits. */
class SubscriptionStatusTest {
    private final Scene scene = new Scene();
    private final SimulatedGateway gateway = scene.up("g");

    private SubscriptionStatus status(String id) {
        return scene.streamer.subscription(id).orElseThrow();
    }

    private Standing standing(String id) {
        List<Standing> all = status(id).standings();
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    private static SubscriptionStatus.Cursor cursor(Standing standing) {
        return standing.cursor().orElseThrow();
    }

    @Test
    void atTheTailNothingWaits() {
        scene.subscribe("s", "g");
        scene.changes(10);
        scene.run(2000);
        Standing standing = standing("s");
        assertThat(standing.isAtRest()).isTrue();
        assertThat(standing.group()).isEqualTo(GroupKind.MAIN);
        assertThat(standing.gateway()).isEqualTo("g");
        assertThat(standing.log()).isEqualTo("db0");
        assertThat(cursor(standing).events()).hasValue(0);
        assertThat(status("s").home()).isEqualTo("gateway g");
        assertThat(scene.streamer.subscription("nobody")).isEmpty();
    }

    @Test
    void aFullLaneIsTheReasonToBeBehind() {
        scene.subscribe("s", "g");
        scene.run(100);
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.changes(100);
        scene.run(1000);
        Standing standing = standing("s");
        assertThat(standing.isAtRest()).isFalse();
        assertThat(standing.group()).isEqualTo(GroupKind.MAIN);
        assertThat(standing.batch()).isEqualTo(SubscriptionStatus.Batch.IN_FLIGHT);
        assertThat(cursor(standing).events()).hasValue(100);
        assertThat(cursor(standing).acked()).isLessThan(cursor(standing).read());
        assertThat(cursor(standing).read()).isLessThan(cursor(standing).tail());
        assertThat(standing.waits()).startsWith("no room in the lane of gateway g: 18 of 20 waiting");
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(60_000);
        assertThat(standing("s").isAtRest()).isTrue();
    }

    @Test
    void aBatchWithoutAnAnswerIsInFlight() {
        scene.subscribe("s", "g");
        scene.run(100);
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.change("d");
        scene.run(500);
        Standing standing = standing("s");
        assertThat(standing.batch()).isEqualTo(SubscriptionStatus.Batch.IN_FLIGHT);
        assertThat(standing.waits()).isEqualTo("gateway g has not answered its batch yet");
        assertThat(cursor(standing).events()).hasValue(1);
    }

    @Test
    void aStuckSubscriptionSaysWhenItIsRetried() {
        for (int k = 0; k < 10; k++) {
            scene.subscribe("s" + k, "g");
        }
        gateway.isStuck = id -> id.equals("s7");
        scene.changes(3);
        scene.run(1500);
        assertThat(standing("s7").waits()).startsWith("the gateway wants it later (since 1 s); retr");
        for (int k = 0; k < 20; k++) {
            scene.change("d" + k);
            scene.run(1000);
        }
        Standing stuck = standing("s7");
        assertThat(stuck.group()).isEqualTo(GroupKind.STUCK);
        assertThat(stuck.batch()).isEqualTo(SubscriptionStatus.Batch.RETRY);
        assertThat(stuck.waits()).matches("stuck: the gateway wants its events later; retried in .* s");
        assertThat(cursor(stuck).events()).hasValue(23);
        assertThat(standing("s1").isAtRest()).isTrue();
        gateway.isStuck = id -> false;
        scene.run(60_000);
        assertThat(standing("s7").isAtRest()).isTrue();
    }

    @Test
    void aGatewayThatIsAwayIsTheReason() {
        scene.subscribe("s", "g");
        scene.run(100);
        scene.streamer.away("g");
        scene.run(100);
        assertThat(standing("s").isAtRest()).as("no event was missed").isTrue();
        scene.change("d");
        scene.run(1000);
        assertThat(standing("s").waits()).isEqualTo("gateway g is not connected");
        assertThat(cursor(standing("s")).events()).hasValue(1);
        scene.streamer.up(Scene.address("g"));
        scene.run(10_000);
        assertThat(standing("s").isAtRest()).isTrue();
    }

    @Test
    void aGatewayThatIsNotRegisteredIsTheReason() {
        scene.subscribe("s", "elsewhere");
        scene.change("d");
        scene.run(1000);
        assertThat(standing("s").gateway()).isEmpty();
        assertThat(standing("s").waits()).isEqualTo("gateway elsewhere is not registered");
    }

    @Test
    void aChangeThatIsNotAppliedIsTheReason() {
        scene.subscribe("s", "g");
        assertThat(standing("s").waits()).isEqualTo("it is not placed yet (registry revision 1, applied 0)");
        assertThat(standing("s").group()).isEqualTo(GroupKind.UNKNOWN);
        scene.run(100);
        assertThat(standing("s").isAtRest()).isTrue();
        scene.filtered("s", "g", null);
        assertThat(standing("s").waits())
                .isEqualTo("its changed definition is not placed yet (registry revision 2, applied 1)");
        scene.run(100);
        assertThat(standing("s").isAtRest()).isTrue();
    }

    @Test
    void aBroadcastStandsForEachGateway() {
        Scene broadcast = new Scene(SceneSettings.of(Scene.SMALL, RoutingMode.BROADCAST, 0));
        broadcast.up("a");
        broadcast.up("b");
        broadcast.subscribe("s", "");
        broadcast.run(100);
        broadcast.streamer.away("b");
        broadcast.change("d");
        broadcast.run(1000);
        SubscriptionStatus status = broadcast.streamer.subscription("s").orElseThrow();
        assertThat(status.gateways())
                .extracting(SubscriptionStatus.Receiver::id, SubscriptionStatus.Receiver::state)
                .containsExactly(tuple("a", "up"), tuple("b", "away"));
        assertThat(status.standings())
                .extracting(Standing::gateway, Standing::waits)
                .containsExactly(tuple("a", ""), tuple("b", "gateway b is not connected"));
    }

    @Test
    void anOpenBreakerSaysWhenItProbes() {
        scene.subscribe("s", "g");
        scene.run(100);
        gateway.mode = SimulatedGateway.Mode.DOWN;
        scene.change("d");
        scene.run(Duration.ofSeconds(10).toMillis());
        assertThat(status("s").gateways())
                .allMatch(each -> each.breakerOpen() && !each.lastError().isEmpty());
        assertThat(standing("s").batch()).isEqualTo(SubscriptionStatus.Batch.RETRY);
        assertThat(standing("s").waits()).matches("the breaker of gateway g is open, next probe in \\d+ s");
    }

    @Test
    void aResyncThatWasAskedForIsOwedUntilItIsAcknowledged() {
        scene.subscribe("s", "g");
        scene.run(100);
        scene.streamer.away("g");
        scene.registry.resync("s");
        assertThat(standing("s").resyncOwed()).as("not applied yet").isTrue();
        scene.run(100);
        assertThat(standing("s").resyncOwed()).isTrue();
        assertThat(standing("s").waits()).isEqualTo("gateway g is not connected");
        scene.streamer.up(Scene.address("g"));
        scene.run(10_000);
        assertThat(standing("s").resyncOwed()).isFalse();
    }
}
