package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.EventType;
import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.lane.DeadLetter;
import dev.sluice.lane.Lane;
import dev.sluice.lane.LaneSettings;
import dev.sluice.lane.LaneStatus;
import dev.sluice.lane.RoutingMode;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.SubscriptionEnd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The rows of the correctness page that a Streamer as a whole keeps; each test names its row. */
class DeliveryPromisesTest {
    private final Scene scene = new Scene();

    @Test
    void row20_twoChangesOfOneDocumentInOneSecondBothArrive() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        ChangeEvent first = scene.feed.append("db0", Operation.REPLACE, "c", "d", 0, false);
        ChangeEvent second = scene.feed.append("db0", Operation.REPLACE, "c", "d", 0, true);
        scene.run(500);
        assertThat(first.clusterTime()).isEqualTo(second.clusterTime());
        assertThat(Scene.got(gateway, "s")).containsExactly(first.id(), second.id());
    }

    @Test
    void row20_theCacheBelongsToTheClaim_whatWasNotAcknowledgedComesAgainUnderTheNext() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        gateway.mode = SimulatedGateway.Mode.HUNG;
        ChangeEvent event = scene.change("d");
        scene.run(1000);
        scene.crash();
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(1000);
        assertThat(Scene.got(gateway, "s")).containsExactly(event.id());
    }

    @Test
    void row21_aPositionIsThatOfWhatWasAcknowledgedAndNotOfWhatWasRouted() {
        SimulatedGateway well = scene.up("well");
        SimulatedGateway hung = scene.up("hung");
        scene.subscribe("a", "well");
        scene.subscribe("b", "hung");
        int before = scene.feed.all.size();
        hung.mode = SimulatedGateway.Mode.HUNG;
        scene.changes(3);
        scene.run(6000);
        assertThat(Scene.got(well, "a")).hasSize(3);
        assertThat(scene.savedLow()).as("nothing of b is acknowledged").isEqualTo(before);
        hung.mode = SimulatedGateway.Mode.WELL;
        scene.run(20_000);
        assertThat(scene.savedLow()).isEqualTo(before + 3);
    }

    @Test
    void row22_aFullLaneFallsBehindAndCatchesUpInOrder_nothingIsDroppedAndNobodyElseNotices() {
        SimulatedGateway well = scene.up("well");
        SimulatedGateway hung = scene.up("hung");
        scene.subscribe("a", "well");
        scene.subscribe("b", "hung");
        hung.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> events = scene.changes(300);
        scene.run(3000);
        assertThat(Scene.got(well, "a")).isEqualTo(Scene.ids(events));
        assertThat(scene.lane("hung").behind()).isNotEmpty();
        assertThat(scene.streamer.counters().longestQueue()).isLessThanOrEqualTo(20);
        assertThat(scene.streamer.counters().fellBehind(Lane.Room.HARD)).isPositive();
        hung.mode = SimulatedGateway.Mode.WELL;
        scene.run(60_000);
        assertThat(Scene.got(hung, "b")).isEqualTo(Scene.ids(events));
        assertThat(scene.lane("hung").behind()).isEmpty();
        assertThat(scene.letters.byId).isEmpty();
    }

    @Test
    void row22_atTheSoftWatermarkOnlyTheLowClassFallsBehind() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("urgent", "g", Priority.HIGH, null);
        scene.subscribe("slow", "g", Priority.LOW, null);
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.changes(12);
        scene.run(2000);
        assertThat(scene.lane("g").behind())
                .extracting(LaneStatus.Behind::priority)
                .containsExactly(Priority.LOW);
        assertThat(scene.streamer.counters().fellBehind(Lane.Room.SOFT)).isEqualTo(1);
    }

    @Test
    void row22_aShortOutageFloodsNoDeadLetters() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        gateway.mode = SimulatedGateway.Mode.DOWN;
        List<ChangeEvent> events = scene.changes(50);
        scene.run(10_000);
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(60_000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
        assertThat(scene.letters.byId).isEmpty();
    }

    @Test
    void row22_whoIsBehindWhatIsKeptIsToldToResyncAndGoesOnWithTheOldestThereIs() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.streamer.away("g");
        // More than what stays in memory.
        scene.changes(1_100);
        scene.run(20_000);
        scene.feed.evict("db0", 10);
        scene.streamer.up(Scene.address("g"));
        scene.run(5000);
        assertThat(gateway.firsts).extracting(Delivery::type).startsWith(EventType.RESYNC);
        assertThat(Scene.got(gateway, "s")).hasSize(11);
        assertThat(scene.streamer.counters().resyncs()).isEqualTo(1);
        assertThat(scene.streamer.status().partitions())
                .extracting(StreamerStatus.OfPartition::health)
                .doesNotContain(StreamerStatus.Health.STALE, StreamerStatus.Health.FAILED);
    }

    /** A reader keeps megabytes; whoever waits for one is a position. */
    @Test
    void row22_howeverManyAreBehindFewAreReadAtOnceAndAllCatchUp() {
        for (int k = 0; k < 100; k++) {
            scene.subscribe("s" + k, "g" + k);
        }
        List<ChangeEvent> events = scene.changes(40);
        scene.run(1000);
        for (int k = 0; k < 100; k++) {
            scene.up("g" + k).mode = SimulatedGateway.Mode.SLOW;
        }
        scene.run(10_000);
        for (int k = 0; k < 100; k++) {
            scene.gateway("g" + k).mode = SimulatedGateway.Mode.WELL;
        }
        scene.run(60_000);
        assertThat(scene.feed.mostReaders)
                .as("the tail's and one for all behind")
                .isLessThanOrEqualTo(2);
        for (int k = 0; k < 100; k++) {
            assertThat(Scene.got(scene.gateway("g" + k), "s" + k)).isEqualTo(Scene.ids(events));
        }
        assertThat(scene.feed.readers).as("the tail alone reads").isOne();
    }

    @Test
    void row22_whoLostNothingIsNotToldToResyncWhenThePartitionsOwnPositionIsOlderThanWhatIsKept() {
        SimulatedGateway slow = scene.up("slow");
        SimulatedGateway quick = scene.up("quick");
        scene.subscribe("a", "slow");
        scene.subscribe("b", "quick");
        slow.mode = SimulatedGateway.Mode.HUNG;
        scene.changes(10);
        scene.run(500);
        scene.streamer.away("quick");
        scene.changes(3);
        scene.run(6000);
        scene.claim.persist();
        scene.feed.evict("db0", 6);
        slow.mode = SimulatedGateway.Mode.WELL;
        for (int k = 0; k < 10; k++) {
            scene.crash();
            scene.run(1000);
        }
        assertThat(slow.toldToResync).contains("a");
        assertThat(quick.toldToResync).isEmpty();
        assertThat(new HashSet<>(Scene.got(quick, "b"))).hasSize(13);
    }

    @Test
    void row23_aRejectedEventIsADeadLetterAndTheOthersAreDelivered() {
        refuse(1);
    }

    @Test
    void row23_aRefusedBatchIsBisectedDownToTheEvent() {
        refuse(2);
    }

    @Test
    void row23_anEventThatAloneBreaksAGatewayThatAnswersIsADeadLetterAfterTheAttempts() {
        refuse(3);
    }

    @Test
    void row23_anEventThatTheGatewaySaysItBreaksOverIsADeadLetterAfterTheAttempts() {
        refuse(4);
    }

    /** Its callback asks for later, for an hour: it waits alone, in order, and is no dead letter. */
    @Test
    void row23_aSubscriptionThatCannotHandleAnythingNowHoldsNoOtherOfItsGateway() {
        SimulatedGateway gateway = scene.up("g");
        for (int k = 0; k < 20; k++) {
            scene.subscribe("s" + k, "g");
        }
        gateway.isStuck = id -> id.equals("s7");
        List<ChangeEvent> events = new ArrayList<>();
        for (int k = 0; k < 8; k++) {
            events.addAll(scene.changes(1));
            scene.run(60_000);
        }
        for (int k = 0; k < 20; k++) {
            assertThat(Scene.got(gateway, "s" + k)).as("s" + k).isEqualTo(k == 7 ? List.of() : Scene.ids(events));
        }
        assertThat(scene.lane("g").breaker()).isEqualTo("closed");
        gateway.isStuck = id -> false;
        scene.run(20_000);
        assertThat(Scene.got(gateway, "s7")).isEqualTo(Scene.ids(events));
        assertThat(scene.letters.byId).isEmpty();
    }

    private void refuse(int how) {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        List<ChangeEvent> events = scene.changes(12);
        EventId bad = events.get(4).id();
        gateway.poison = delivery -> delivery.event().event().id().equals(bad) ? how : 0;
        scene.run(60_000);
        assertThat(Scene.got(gateway, "s"))
                .isEqualTo(
                        Scene.ids(events).stream().filter(id -> !id.equals(bad)).toList());
        assertThat(scene.letters.byId.values())
                .singleElement()
                .satisfies(letter -> assertThat(letter.eventId()).isEqualTo(bad.toString()));
        assertThat(scene.savedLow()).isEqualTo(scene.feed.all.size());
    }

    @Test
    void row23_whoOnlyEverSaysLaterGetsItsEventsInTheEnd() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        gateway.mode = SimulatedGateway.Mode.BUSY;
        List<ChangeEvent> events = scene.changes(40);
        scene.run(60_000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
        assertThat(scene.letters.byId).isEmpty();
    }

    @Test
    void row23_aNewerOwnerStopsThePartitionAndLeavesNoDeadLetter() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.change("d");
        scene.run(500);
        Streamer old = scene.streamer;
        Life oldLife = scene.life;
        scene.life = new Life(scene.turns);
        scene.claim.persist();
        Streamer next = new Streamer(
                scene.settings,
                scene.feed,
                scene.registry,
                address -> scene.life.reaching(gateway),
                scene.letters,
                scene.life,
                partition -> 1);
        next.up(Scene.address("g"));
        next.assigned(scene.claim.take());
        scene.changes(5);
        scene.run(1000);
        List<ChangeEvent> events = scene.changes(5);
        scene.run(3000);
        assertThat(old.status().partitions())
                .extracting(StreamerStatus.OfPartition::health)
                .containsExactly(StreamerStatus.Health.FAILED);
        assertThat(old.counters().fenced()).isPositive();
        assertThat(Scene.got(gateway, "s")).endsWith(Scene.ids(events).toArray(EventId[]::new));
        assertThat(scene.letters.byId).isEmpty();
        oldLife.end();
    }

    @Test
    void row23_whoCriesFencedAlthoughTheClaimIsOursHarmsOnlyItself() {
        SimulatedGateway well = scene.up("well");
        scene.subscribe("a", "well");
        scene.streamer.up(Scene.address("liar"));
        scene.subscribe("b", "liar");
        SimulatedGateway liar = scene.gateway("liar");
        liar.answer = new BatchOutcome.Fenced("I know better");
        List<ChangeEvent> events = scene.changes(5);
        scene.run(5000);
        assertThat(Scene.got(well, "a")).isEqualTo(Scene.ids(events));
        liar.answer = null;
        scene.run(60_000);
        assertThat(Scene.got(liar, "b")).isEqualTo(Scene.ids(events));
    }

    @Test
    void row24_aFailedBatchStaysFirst_attemptsAreSpaced_theBreakerOpensAtFiveAndAProbeClosesIt() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        gateway.answer = new BatchOutcome.RetryLater("503");
        List<ChangeEvent> events = scene.changes(3);
        scene.run(300);
        assertThat(gateway.attempts).as("the second comes after about 100 ms").isLessThanOrEqualTo(3);
        scene.run(20_000);
        assertThat(gateway.attempts).isEqualTo(5);
        assertThat(scene.lane("g").breaker()).isEqualTo("open");
        gateway.answer = null;
        scene.run(30_000);
        assertThat(scene.lane("g").breaker()).isEqualTo("closed");
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void row26_anIdleLaneSendsAtOnceAndABusyOneWithinTheLongestWait() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.subscribe("t", "g");
        ChangeEvent event = scene.change("d");
        scene.run(45);
        assertThat(Scene.got(gateway, "s")).as("it waits for nothing").containsExactly(event.id());
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.change("e");
        scene.run(45);
        int before = gateway.attempts;
        scene.subscribe("u", "g");
        scene.change("f");
        scene.run(100);
        assertThat(gateway.attempts).as("u does not wait for s and t").isEqualTo(before + 1);
    }

    @Test
    void row25_aDeadLetterIsSafeBeforeItCountsAsDone() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        int before = scene.feed.all.size();
        scene.letters.failing = 3;
        gateway.poison = delivery -> 1;
        scene.change("d");
        scene.run(2500);
        assertThat(scene.letters.byId).isEmpty();
        assertThat(scene.savedLow()).isEqualTo(before);
        scene.run(20_000);
        assertThat(scene.letters.byId).hasSize(1);
        assertThat(scene.savedLow()).isEqualTo(before + 1);
    }

    @Test
    void row25_withoutDeadLettersTheLaneWaits_andOnlyForThatSubscription() {
        Scene waiting = new Scene(SceneSettings.of(new LaneSettings(
                Scene.SMALL.batch(), Scene.SMALL.queue(), Scene.SMALL.retry(), Scene.SMALL.breaker(), 2, false)));
        SimulatedGateway gateway = waiting.up("g");
        waiting.subscribe("s", "g");
        waiting.subscribe("t", "g");
        gateway.poison = delivery -> delivery.subscriptionId().equals("s") ? 1 : 0;
        List<ChangeEvent> events = waiting.changes(3);
        waiting.run(20_000);
        assertThat(Scene.got(gateway, "t")).isEqualTo(Scene.ids(events));
        assertThat(Scene.got(gateway, "s")).isEmpty();
        assertThat(waiting.letters.byId).isEmpty();
        gateway.poison = delivery -> 0;
        waiting.run(20_000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void row25_aRetriedDeadLetterIsMarkedAndGoneWhenItWasTaken_andADryRunSendsNothing() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        gateway.poison = delivery -> 1;
        ChangeEvent event = scene.change("d");
        scene.run(1000);
        List<String> ids = List.copyOf(scene.letters.byId.keySet());
        gateway.poison = delivery -> 0;
        assertThat(scene.streamer.retry(ids, true).accepted()).isEqualTo(ids);
        scene.run(1000);
        assertThat(gateway.firsts).isEmpty();
        assertThat(scene.streamer
                        .retry(List.of(ids.getFirst(), "no such"), false)
                        .refused())
                .singleElement()
                .asString()
                .startsWith("no such: ");
        scene.run(1000);
        assertThat(gateway.firsts).singleElement().satisfies(delivery -> {
            assertThat(delivery.event().event().id()).isEqualTo(event.id());
            assertThat(delivery.event().json(delivery.type())).isEqualTo(jsonOf(event));
            assertThat(delivery.redelivery()).isTrue();
            assertThat(delivery.revision()).as("a change does not withdraw it").isZero();
        });
        assertThat(scene.letters.byId).isEmpty();
    }

    private String deadLetter(SimulatedGateway gateway, Runnable change) {
        gateway.poison = delivery -> 1;
        change.run();
        scene.run(1000);
        gateway.poison = delivery -> 0;
        return scene.letters.byId.keySet().iterator().next();
    }

    @Test
    void row25_aRetriedDeadLetterGoesToWhoeverServesItsSubscriptionNow() {
        SimulatedGateway first = scene.up("first");
        SimulatedGateway second = scene.up("second");
        scene.subscribe("s", "first");
        String letter = deadLetter(first, () -> scene.change("d"));
        first.holds = id -> false;
        scene.subscribe("s", "second");
        scene.run(1000);
        assertThat(scene.streamer.retry(List.of(letter), false).accepted()).containsExactly(letter);
        scene.run(1000);
        assertThat(Scene.got(second, "s")).hasSize(1);
        assertThat(scene.letters.byId).isEmpty();
    }

    @Test
    void row25_aRetriedDeadLetterThatNobodyWasToldOfIsKept() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        String letter = deadLetter(gateway, () -> scene.change("d"));
        gateway.holds = id -> false;
        assertThat(scene.streamer.retry(List.of(letter), false).accepted()).containsExactly(letter);
        scene.run(1000);
        assertThat(scene.letters.byId.get(letter).reason()).contains("does not know the subscription");
        gateway.holds = id -> true;
        assertThat(scene.streamer.retry(List.of(letter), false).accepted()).containsExactly(letter);
        scene.run(1000);
        assertThat(Scene.got(gateway, "s")).hasSize(1);
        assertThat(scene.letters.byId).isEmpty();
    }

    /** Also when the one in whose name it came has ended. */
    @Test
    void row25_aRetriedDeadLetterThatStoodForOthersReachesThem() {
        SimulatedGateway gateway = scene.up("g");
        scene.filtered("s1", "g", null);
        scene.filtered("s2", "g", null);
        gateway.concerned = delivery -> List.of("s1", "s2");
        String letter = deadLetter(gateway, () -> scene.delete("d"));
        assertThat(scene.letters.byId.get(letter).standsFor()).isEqualTo(Priority.NORMAL);
        String named = scene.letters.byId.get(letter).subscriptionId();
        scene.registry.remove(named, SubscriptionEnd.REMOVED);
        assertThat(scene.streamer.retry(List.of(letter), false).accepted()).containsExactly(letter);
        scene.run(1000);
        assertThat(Scene.got(gateway, "s1")).hasSize(1);
        assertThat(Scene.got(gateway, "s2")).hasSize(1);
        assertThat(scene.letters.byId).isEmpty();
    }

    /** They wait as ids, each once, and go out in order when there is somebody to take them. */
    @Test
    void row25_retriedDeadLettersWaitForRoomOutsideTheLane() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        List<ChangeEvent> events = new ArrayList<>();
        String first = deadLetter(gateway, () -> events.addAll(scene.changes(60)));
        scene.run(20_000);
        // By their events: letters of two batches may be stored in either order.
        List<EventId> order = Scene.ids(events);
        List<String> ids = scene.letters.byId.values().stream()
                .sorted(Comparator.comparingInt(letter -> order.indexOf(EventId.parse(letter.eventId()))))
                .map(DeadLetter::id)
                .toList();
        assertThat(ids).hasSize(60);
        scene.streamer.away("g");
        assertThat(scene.streamer.retry(ids, false).accepted()).isEqualTo(ids);
        assertThat(scene.streamer.retry(List.of(first), false).refused()).hasSize(1);
        scene.run(20_000);
        assertThat(scene.lane("g").queued().get(Priority.NORMAL)).isZero();
        scene.streamer.up(Scene.address("g"));
        scene.run(20_000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
        assertThat(scene.letters.byId).isEmpty();
    }

    private static byte[] jsonOf(ChangeEvent event) {
        return new OutgoingEvent(event).json(EventType.of(event.operation()));
    }

    @Test
    void row27_afterItsGraceAGatewaysSubscriptionsGoOnElsewhereFromWhereTheyWere() {
        Scene ring = new Scene(SceneSettings.of(Scene.SMALL, RoutingMode.CONSISTENT_HASH, 0));
        SimulatedGateway first = ring.up("first");
        SimulatedGateway second = ring.up("second");
        ring.registry.add(new Subscription(
                "s",
                "first",
                "",
                "c",
                Optional.empty(),
                "{}",
                Priority.NORMAL,
                Subscription.DEFAULT_TTL,
                Optional.empty(),
                true,
                false));
        List<ChangeEvent> seen = ring.changes(3);
        ring.run(500);
        ring.streamer.away("first");
        List<ChangeEvent> missed = ring.changes(4);
        ring.run(1000);
        assertThat(Scene.got(second, "s")).as("the grace is not over").isEmpty();
        ring.gone("first");
        ring.run(2000);
        assertThat(Scene.got(first, "s")).isEqualTo(Scene.ids(seen));
        assertThat(Scene.got(second, "s")).isEqualTo(Scene.ids(missed));
    }

    @Test
    void row27_theRingServesSubscriptionsWithoutAGateway() {
        Scene ring = new Scene(SceneSettings.of(Scene.SMALL, RoutingMode.CONSISTENT_HASH, 0));
        SimulatedGateway first = ring.up("first");
        SimulatedGateway second = ring.up("second");
        for (int k = 0; k < 20; k++) {
            ring.subscribe("s" + k, "");
        }
        ring.change("d");
        ring.run(2000);
        assertThat(first.firsts.size() + second.firsts.size()).isEqualTo(20);
        assertThat(first.firsts).isNotEmpty();
        assertThat(second.firsts).isNotEmpty();
    }

    @Test
    void row28_aBroadcastReachesEveryLiveGatewayAtLowPriorityAndCountsWhenAllHaveIt() {
        Scene loud = new Scene(SceneSettings.of(Scene.SMALL, RoutingMode.BROADCAST, 0));
        SimulatedGateway first = loud.up("first");
        SimulatedGateway second = loud.up("second");
        loud.subscribe("s", "nobody knows it", Priority.HIGH, null);
        second.mode = SimulatedGateway.Mode.HUNG;
        int before = loud.feed.all.size();
        List<ChangeEvent> events = loud.changes(3);
        loud.run(4000);
        assertThat(Scene.got(first, "s")).isEqualTo(Scene.ids(events));
        assertThat(loud.savedLow()).isEqualTo(before);
        second.mode = SimulatedGateway.Mode.WELL;
        loud.run(20_000);
        assertThat(Scene.got(second, "s")).isEqualTo(Scene.ids(events));
        assertThat(loud.savedLow()).isEqualTo(before + 3);
    }

    @Test
    void row30_aHungGatewayDelaysNobody() {
        SimulatedGateway well = scene.up("well");
        SimulatedGateway hung = scene.up("hung");
        scene.subscribe("a", "well");
        scene.subscribe("b", "hung");
        hung.mode = SimulatedGateway.Mode.HUNG;
        for (int k = 0; k < 20; k++) {
            ChangeEvent event = scene.change("d" + k);
            scene.run(60);
            assertThat(Scene.got(well, "a")).endsWith(event.id());
        }
    }

    @Test
    void row31_anAnswerThatComesTooLateReordersNothing() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        gateway.mode = SimulatedGateway.Mode.LATE;
        List<ChangeEvent> events = scene.changes(3);
        scene.run(2000);
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.changes(10);
        scene.run(60_000);
        assertThat(Scene.got(gateway, "s"))
                .startsWith(Scene.ids(events).toArray(EventId[]::new))
                .hasSize(13)
                .isSortedAccordingTo(Comparator.comparing(id -> scene.feed.numbers.getOrDefault(id, -1)));
    }

    @Test
    void row32_aNewPriorityWaitsUntilNothingOfTheOldOneIsUnderWay() {
        SimulatedGateway gateway = scene.up("g");
        Subscription low = scene.subscribe("s", "g", Priority.LOW, null);
        gateway.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> events = new ArrayList<>(scene.changes(8));
        scene.run(1000);
        scene.registry.add(new Subscription(
                low.id(),
                low.gatewayId(),
                low.tenant(),
                low.collection(),
                low.documentId(),
                low.filter(),
                Priority.HIGH,
                low.ttl(),
                low.from(),
                low.failover(),
                low.transitions()));
        events.addAll(scene.changes(4));
        scene.run(500);
        assertThat(scene.lane("g").queued()).containsEntry(Priority.HIGH, 0);
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(30_000);
        events.addAll(scene.changes(2));
        scene.run(5000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void row33_numbersCountFromOneUnderEachTokenAndWhatMayHaveComeBeforeSaysSo() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.changes(4);
        scene.run(500);
        scene.claim.persist();
        scene.changes(3);
        scene.run(6000);
        scene.crash();
        scene.run(6000);
        // Up to ten seconds of the source's time are reserved ahead as sent.
        for (int k = 0; k < 8; k++) {
            scene.changes(2);
            scene.run(6000);
        }
        Map<Long, List<Delivery>> byEpoch = Scene.taken(gateway, "s").stream()
                .collect(Collectors.groupingBy(each -> each.token().epoch()));
        assertThat(byEpoch).hasSize(2);
        byEpoch.values().forEach(deliveries -> {
            for (int k = 0; k < deliveries.size(); k++) {
                assertThat(deliveries.get(k).seq()).isEqualTo(k + 1);
            }
        });
        assertThat(byEpoch.get(1L)).noneMatch(Delivery::redelivery);
        assertThat(byEpoch.get(2L)).filteredOn(Delivery::redelivery).isNotEmpty();
        assertThat(byEpoch.get(2L).getLast().redelivery()).isFalse();
    }

    @Test
    void row37_whatWasNotAcknowledgedWhenTheStreamerStopsIsBehindItsLastPosition() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        int before = scene.feed.all.size();
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.changes(3);
        scene.run(1000);
        assertThat(scene.streamer.drain(Duration.ZERO)).isFalse();
        scene.streamer.close();
        scene.claim.persist();
        assertThat(scene.savedLow()).isEqualTo(before);
    }

    @Test
    void row40_aRegistrationGetsEveryChangeThatComesAfterItReturned() {
        SimulatedGateway gateway = scene.up("g");
        scene.changes(5);
        scene.subscribe("s", "g");
        List<ChangeEvent> events = scene.changes(5);
        scene.run(1000);
        assertThat(Scene.got(gateway, "s")).endsWith(Scene.ids(events).toArray(EventId[]::new));
    }

    @Test
    void row40_aRegistrationWithAStartGetsWhatIsBehindItInOrder_andARestartDoesNotForgetThat() {
        SimulatedGateway gateway = scene.up("g");
        ProgressMarker marker = scene.feed.end();
        List<ChangeEvent> events = new ArrayList<>(scene.changes(60));
        scene.run(1000);
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.subscribe("s", "g", Priority.NORMAL, marker);
        scene.run(200);
        scene.crash();
        gateway.mode = SimulatedGateway.Mode.WELL;
        events.addAll(scene.changes(5));
        scene.run(30_000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void aSubscriptionThatMovesGoesOnAtItsNewGatewayFromWhatTheOldOneAcknowledged() {
        SimulatedGateway old = scene.up("old");
        SimulatedGateway next = scene.up("next");
        scene.subscribe("s", "old");
        List<ChangeEvent> seen = scene.changes(3);
        scene.run(500);
        old.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> missed = scene.changes(4);
        scene.run(500);
        scene.subscribe("s", "next");
        // What is in flight is waited for, at most for the delivery's timeout.
        scene.run(8000);
        assertThat(Scene.got(old, "s")).isEqualTo(Scene.ids(seen));
        assertThat(Scene.got(next, "s"))
                .as("perhaps with what has the time of the last before")
                .endsWith(Scene.ids(missed).toArray(EventId[]::new))
                .hasSizeLessThanOrEqualTo(5);
    }

    @Test
    void whoRegistersWhileItsGatewayIsBehindIsNotGivenWhatWasBefore() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("old", "g");
        gateway.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> before = scene.changes(3);
        scene.run(1000);
        scene.subscribe("young", "g");
        List<ChangeEvent> after = scene.changes(2);
        scene.run(1000);
        scene.gone("g");
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.up("g");
        scene.run(30_000);
        assertThat(Scene.got(gateway, "old")).hasSize(before.size() + after.size());
        assertThat(Scene.got(gateway, "young")).isEqualTo(Scene.ids(after));
    }

    @Test
    void aCrashRightAfterAMoveIsStoredLosesNothingOfWhatTheOldGatewayHadNotAcknowledged() {
        SimulatedGateway old = scene.up("old");
        SimulatedGateway next = scene.up("next");
        Subscription before = scene.subscribe("s", "old");
        scene.changes(3);
        scene.run(500);
        old.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> missed = scene.changes(200);
        scene.run(40_000);
        scene.claim.persist();
        scene.registry.add(new Subscription(
                before.id(),
                "next",
                before.tenant(),
                before.collection(),
                before.documentId(),
                before.filter(),
                before.priority(),
                before.ttl(),
                before.from(),
                before.failover(),
                before.transitions()));
        scene.crash();
        scene.run(30_000);
        assertThat(Scene.got(next, "s")).endsWith(Scene.ids(missed).toArray(EventId[]::new));
    }

    @Test
    void row39_aDeleteWithoutAPreImageGoesOutOncePerGatewayAndClass() {
        SimulatedGateway gateway = scene.up("g");
        scene.filtered("a", "g", null);
        scene.filtered("b", "g", null);
        ChangeEvent delete = scene.delete("d");
        scene.run(1000);
        assertThat(gateway.taken).singleElement().satisfies(delivery -> {
            assertThat(delivery.event().event().id()).isEqualTo(delete.id());
            assertThat(delivery.standsFor()).isEqualTo(Priority.NORMAL);
        });
    }

    @Test
    void row39_whoBeginsInThePastIsToldOfADeleteItself() {
        SimulatedGateway gateway = scene.up("g");
        ProgressMarker before = scene.feed.end();
        scene.filtered("a", "g", null);
        List<ChangeEvent> events = List.of(scene.change("d"), scene.delete("d"));
        scene.run(1000);
        scene.filtered("z", "g", before);
        scene.filtered("0", "g", before);
        scene.run(2000);
        assertThat(Scene.got(gateway, "z")).isEqualTo(Scene.ids(events));
        assertThat(Scene.got(gateway, "0")).isEqualTo(Scene.ids(events));
        assertThat(gateway.taken).filteredOn(Delivery::representative).hasSize(1);
    }

    @Test
    void row39_nobodyStandsForOneThatBeginsInThePast() {
        SimulatedGateway gateway = scene.up("g");
        ProgressMarker before = scene.feed.end();
        scene.changes(40);
        scene.run(1000);
        scene.filtered("a", "g", null);
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.filtered("b", "g", before);
        scene.run(200);
        ChangeEvent delete = scene.delete("d");
        scene.run(1000);
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(30_000);
        assertThat(gateway.taken)
                .filteredOn(Delivery::representative)
                .allMatch(each -> each.except().equals(List.of("b")));
        assertThat(Scene.got(gateway, "a")).containsExactly(delete.id());
        assertThat(Scene.got(gateway, "b")).hasSize(41).endsWith(delete.id());
    }

    @Test
    void row39_whoStandsForOthersMayEndAndTheyAreToldAllTheSame() {
        for (String stays : List.of("a", "b")) {
            Scene ending = new Scene();
            SimulatedGateway gateway = ending.up("g");
            ending.filtered("a", "g", null);
            ending.filtered("b", "g", null);
            gateway.mode = SimulatedGateway.Mode.HUNG;
            ending.change("d");
            ending.run(200);
            ChangeEvent delete = ending.delete("d");
            ending.run(200);
            ending.registry.remove(stays.equals("a") ? "b" : "a", SubscriptionEnd.REMOVED);
            gateway.mode = SimulatedGateway.Mode.WELL;
            ending.run(30_000);
            assertThat(gateway.taken)
                    .filteredOn(Delivery::representative)
                    .extracting(delivery -> delivery.event().event().id())
                    .containsExactly(delete.id());
        }
    }

    @Test
    void whatIsOnItsWayWhenASubscriptionEndsIsDroppedAndCounted() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.changes(12);
        scene.run(200);
        scene.registry.remove("s", SubscriptionEnd.EXPIRED);
        scene.run(10);
        assertThat(scene.streamer.counters().dropped()).isPositive();
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(20_000);
        assertThat(scene.savedLow()).isEqualTo(scene.feed.all.size());
    }

    @Test
    void aGapAtTheSourceMakesThePartitionStaleUntilEverySubscriptionConfirmed() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.feed.append("db0", Operation.RESYNC, "", "", 0, false);
        scene.run(1000);
        assertThat(scene.streamer.status().partitions())
                .extracting(StreamerStatus.OfPartition::health)
                .containsExactly(StreamerStatus.Health.STALE);
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(20_000);
        assertThat(gateway.firsts).extracting(Delivery::type).containsExactly(EventType.RESYNC);
        assertThat(scene.streamer.status().partitions())
                .extracting(StreamerStatus.OfPartition::health)
                .doesNotContain(StreamerStatus.Health.STALE);
    }

    @Test
    void theProgressOnADeliveryLosesNothingWhenASubscriptionGoesOnFromIt() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.subscribe("t", "g");
        gateway.poison = delivery -> delivery.subscriptionId().equals("t") ? 1 : 0;
        scene.letters.failing = 1000;
        List<ChangeEvent> events = scene.changes(10);
        scene.run(400);
        scene.change("last");
        scene.run(400);
        Delivery last = gateway.taken.getLast();
        EventId acknowledged =
                ProgressMarker.decode(last.progress()).position("db0").orElseThrow();
        assertThat(scene.feed.index("db0", acknowledged))
                .as("t has acknowledged nothing")
                .isLessThanOrEqualTo(scene.feed.place(events.getFirst()));
    }
}
