package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lane.RoutingMode;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.SubscriptionEnd;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Row 27: a gateway that did not register a subscription is told it before its first event there. */
class AdoptionPromisesTest {
    private final Scene scene = new Scene(SceneSettings.of(Scene.SMALL, RoutingMode.CONSISTENT_HASH, 0));

    /** It may go elsewhere when its gateway is gone. */
    private Subscription failingOver() {
        Subscription subscription = new Subscription(
                "s",
                "first",
                "",
                "c",
                Optional.empty(),
                "{\"g\":0}",
                Priority.HIGH,
                Subscription.LONGEST_TTL,
                Optional.empty(),
                true,
                true);
        scene.registry.add(subscription);
        return subscription;
    }

    @Test
    void afterTheGraceTheNextGatewayIsToldTheWholeDefinitionBeforeTheFirstEvent() {
        SimulatedGateway first = scene.up("first");
        SimulatedGateway second = scene.up("second");
        Subscription subscription = failingOver();
        List<ChangeEvent> seen = scene.changes(3);
        scene.run(500);
        scene.streamer.away("first");
        List<ChangeEvent> missed = scene.changes(4);
        scene.run(1000);
        assertThat(second.heard).as("the grace is not over").isEmpty();
        scene.gone("first");
        scene.run(2000);
        assertThat(first.heard).as("it registered it itself").containsOnly("s").hasSize(seen.size());
        assertThat(second.heard).startsWith("told s", "s");
        assertThat(second.adopted).containsEntry("s", subscription);
        assertThat(Scene.got(second, "s")).isEqualTo(Scene.ids(missed));
    }

    @Test
    void whatTheRingPlacesIsToldOnceItWasAcknowledgedNoMore() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "");
        scene.changes(3);
        scene.run(500);
        scene.changes(3);
        scene.run(500);
        scene.changes(3);
        scene.run(500);
        assertThat(gateway.heard)
                .startsWith("told s")
                .filteredOn("told s"::equals)
                .hasSize(1);
        assertThat(Scene.got(gateway, "s")).hasSize(9);
        assertThat(gateway.adopted.get("s").gatewayId()).isEmpty();
    }

    @Test
    void whereItBeganIsNoPartOfWhatIsTold() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "", Priority.NORMAL, scene.feed.end());
        scene.changes(3);
        scene.run(3000);
        scene.changes(3);
        scene.run(3000);
        assertThat(gateway.adopted.get("s").from()).isEmpty();
        assertThat(gateway.heard).filteredOn("told s"::equals).hasSize(1);
    }

    @Test
    void itIsToldAgainByAStreamerThatCrashed() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "");
        scene.changes(3);
        scene.run(500);
        scene.claim.persist();
        scene.crash();
        gateway.heard.clear();
        scene.changes(2);
        scene.run(1000);
        assertThat(gateway.heard).startsWith("told s", "s");
    }

    @Test
    void itIsToldAgainWithTheRetryWhenTheAnswerWasLost() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "");
        gateway.mode = SimulatedGateway.Mode.HUNG;
        ChangeEvent event = scene.change("d");
        scene.run(1000);
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(10_000);
        assertThat(gateway.heard).containsExactly("told s", "s");
        assertThat(Scene.got(gateway, "s")).containsExactly(event.id());
    }

    @Test
    void aGatewayThatStartedAnewUnnoticedSendsTheEventBackAndIsToldWithTheRetry() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "");
        scene.change("d");
        scene.run(500);
        gateway.adopted.clear();
        gateway.heard.clear();
        ChangeEvent event = scene.change("d");
        scene.run(1000);
        assertThat(gateway.heard).containsExactly("told s", "s");
        assertThat(Scene.got(gateway, "s")).endsWith(event.id());
    }

    @Test
    void aGatewayThatRegistersAgainIsToldAtOnce() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "");
        scene.change("d");
        scene.run(500);
        gateway.adopted.clear();
        gateway.heard.clear();
        scene.streamer.registeredAgain(Scene.address("g"));
        int before = gateway.attempts;
        scene.change("d");
        scene.run(1000);
        assertThat(gateway.heard).containsExactly("told s", "s");
        assertThat(gateway.attempts).as("nothing had to come again").isEqualTo(before + 1);
    }

    @Test
    void aChangedDefinitionIsToldBeforeWhatItMatches() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "");
        scene.change("d");
        scene.run(500);
        gateway.heard.clear();
        Subscription changed = scene.filtered("s", "", null);
        scene.change("d");
        scene.run(500);
        assertThat(gateway.heard).containsExactly("told s", "s");
        assertThat(gateway.adopted).containsEntry("s", changed);
    }

    @Test
    void whatWasRejectedCountsAsNotTold() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "");
        gateway.poison = delivery -> 1;
        scene.change("d");
        scene.run(500);
        gateway.heard.clear();
        gateway.poison = delivery -> 0;
        scene.change("d");
        scene.run(500);
        assertThat(gateway.heard).containsExactly("told s", "s");
    }

    @Test
    void whoRegisteredItItselfIsToldNothingAndNeitherIsWhoHearsABroadcast() {
        SimulatedGateway own = scene.up("g");
        scene.subscribe("s", "g");
        scene.changes(3);
        scene.run(500);
        assertThat(own.heard).containsExactly("s", "s", "s");
        Scene loud = new Scene(SceneSettings.of(Scene.SMALL, RoutingMode.BROADCAST, 0));
        SimulatedGateway hearing = loud.up("g");
        loud.subscribe("s", "nobody knows it");
        loud.changes(3);
        loud.run(500);
        assertThat(hearing.heard).containsExactly("s", "s", "s");
    }

    @Test
    void whatWasUnderWayWhenItsSubscriptionEndedIsNotSentAgain() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.change("d");
        scene.run(200);
        scene.registry.remove("s", SubscriptionEnd.REMOVED);
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(20_000);
        assertThat(gateway.taken).isEmpty();
        assertThat(scene.streamer.counters().dropped()).isEqualTo(1);
        assertThat(scene.savedLow()).isEqualTo(scene.feed.all.size());
    }

    @Test
    void aDeadLetterOfAGatewayThatIsGoneIsRetriedAtItsSuccessor() {
        SimulatedGateway first = scene.up("first");
        SimulatedGateway second = scene.up("second");
        failingOver();
        first.poison = delivery -> 1;
        ChangeEvent event = scene.change("d");
        scene.run(1000);
        scene.gone("first");
        scene.run(1000);
        List<String> ids = List.copyOf(scene.letters.byId.keySet());
        assertThat(scene.streamer.retry(ids, false).accepted()).isEqualTo(ids);
        scene.run(1000);
        assertThat(second.heard).containsExactly("told s", "s");
        assertThat(Scene.got(second, "s")).containsExactly(event.id());
        assertThat(scene.letters.byId).isEmpty();
    }
}
