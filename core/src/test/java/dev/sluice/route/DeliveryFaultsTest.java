package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.lane.DeadLetter;
import dev.sluice.lane.LaneSettings;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Errors in the middle of a step, answers that cannot be handled, gateways that come back: nothing is lost or stuck. */
class DeliveryFaultsTest {
    private final Scene scene = new Scene();

    /** As the Streamer's threads do: a step that throws runs again. */
    private void run(long millis) {
        run(scene, millis);
    }

    private static void run(Scene scene, long millis) {
        long end = scene.turns.nanos() + Duration.ofMillis(millis).toNanos();
        while (scene.turns.nanos() < end) {
            try {
                scene.turns.run(Duration.ofNanos(end - scene.turns.nanos()));
            } catch (OutOfMemoryError | NoClassDefFoundError again) {
                scene.turns.pass(Duration.ofMillis(1));
            }
        }
    }

    @Test
    void anErrorInTheMiddleOfABatchLosesNothingOfIt() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        AtomicInteger routed = new AtomicInteger();
        scene.streamer.counters().measureRouting(nanos -> {
            if (routed.incrementAndGet() % 4 == 0) {
                throw new OutOfMemoryError("for a moment");
            }
        });
        List<ChangeEvent> events = scene.changes(18);
        run(20_000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void anErrorWhileTheHeadIsReadLosesNothing() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.feed.tornReads = 3;
        List<ChangeEvent> events = scene.changes(18);
        run(20_000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void anErrorWhileALaneCatchesUpLosesNothing() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        scene.streamer.away("g");
        List<ChangeEvent> events = scene.changes(40);
        run(1000);
        scene.feed.tornReads = 3;
        scene.streamer.up(Scene.address("g"));
        run(20_000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
    }

    /** Wherever in a step the Error comes: the next one does not take up what that one had gathered. */
    @Test
    void anErrorWhileALaneCatchesUpGivesNobodyTheEventsOfOthers() {
        for (int k = 1; k <= 40; k++) {
            Scene two = new Scene(SceneSettings.of(Scene.SMALL), 1, 2);
            SimulatedGateway gateway = two.up("g");
            two.filtered("s", "g", null);
            two.streamer.away("g");
            for (int n = 0; n < 10; n++) {
                two.feed.append("db0", Operation.REPLACE, "c", "mine" + n, 0, false);
                two.feed.append("db1", Operation.REPLACE, "c", "foreign" + n, 1, false);
            }
            run(two, 500);
            two.streamer.up(Scene.address("g"));
            two.life.failsAfter = k;
            run(two, 2500);
            assertThat(two.life.failsAfter).isZero();
            assertThat(Scene.taken(gateway, "s"))
                    .as("Error %s", k)
                    .extracting(each -> each.event().event().backend())
                    .hasSizeGreaterThanOrEqualTo(10)
                    .containsOnly("db0");
        }
    }

    @Test
    void aLogThatCannotBeReadHoldsUpNoOther() {
        Scene two = new Scene(SceneSettings.of(Scene.SMALL), 1, 2);
        SimulatedGateway gateway = two.up("g");
        two.subscribe("s", "g");
        two.run(500);
        two.feed.unreadable.add("db0");
        List<ChangeEvent> events = new ArrayList<>();
        for (int n = 0; n < 10; n++) {
            two.feed.append("db0", Operation.REPLACE, "c", "damaged" + n, 0, false);
            events.add(two.feed.append("db1", Operation.REPLACE, "c", "well" + n, 0, false));
            two.run(100);
        }
        two.run(1_000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
        assertThat(two.streamer.status().partitions())
                .singleElement()
                .satisfies(each -> assertThat(each.why()).contains("log db0 cannot be read"));
        two.feed.unreadable.clear();
        two.run(5_000);
        assertThat(Scene.got(gateway, "s")).hasSize(20);
        assertThat(two.streamer.status().partitions())
                .extracting(StreamerStatus.OfPartition::why)
                .containsExactly("");
    }

    @Test
    void anErrorInTheMiddleOfAnEventRepeatsItForNoGateway() {
        int repeats = 0;
        for (int k = 1; k <= 40; k++) {
            Scene two = new Scene();
            List<SimulatedGateway> gateways = List.of(two.up("g"), two.up("h"));
            two.subscribe("s", "g");
            two.subscribe("t", "h");
            run(two, 100);
            two.changes(5);
            two.life.failsAfter = k;
            run(two, 3000);
            for (SimulatedGateway gateway : gateways) {
                Map<EventId, Long> numbers = new HashMap<>();
                for (Delivery each : gateway.taken) {
                    long first = numbers.computeIfAbsent(each.event().event().id(), none -> each.seq());
                    if (first != each.seq()) {
                        repeats++;
                        assertThat(each.redelivery())
                                .as("Error %s: %s", k, each)
                                .isTrue();
                    }
                }
            }
        }
        assertThat(repeats)
                .as("what was handed over before the Error is not handed over again")
                .isZero();
    }

    @Test
    void whereverAnErrorComesEverythingIsDeliveredAndCountsAsDone() {
        for (int k = 1; k <= 40; k++) {
            Scene two = new Scene(SceneSettings.of(Scene.SMALL), 2);
            SimulatedGateway gateway = two.up("g");
            two.subscribe("s", "g");
            two.subscribe("t", "g");
            run(two, 100);
            List<ChangeEvent> events = two.changes(2);
            two.life.failsAfter = k;
            run(two, 8000);
            assertThat(Scene.got(gateway, "s"))
                    .as("Error %s", k)
                    .containsExactlyInAnyOrderElementsOf(Scene.ids(events));
            assertThat(Scene.got(gateway, "t"))
                    .as("Error %s", k)
                    .containsExactlyInAnyOrderElementsOf(Scene.ids(events));
            assertThat(two.savedLow()).as("Error %s", k).isEqualTo(two.feed.all.size());
            assertThat(two.lane("g").inFlight()).as("Error %s", k).isZero();
            assertThat(two.streamer.status().partitions())
                    .as("Error %s", k)
                    .extracting(StreamerStatus.OfPartition::unacknowledged)
                    .containsOnly(0L);
        }
    }

    @Test
    void anAddressThatCouldNotBeUsedIsTriedAgainWhenTheGatewayRegistersAgain() {
        scene.failingOpens = 1;
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        List<ChangeEvent> events = scene.changes(3);
        run(1000);
        assertThat(scene.lane("g").lastError()).isPresent();
        scene.streamer.registeredAgain(Scene.address("g"));
        run(2000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
    }

    @Test
    void theReasonOfWhatKeepsFailingIsShownWhileOthersAreDelivered() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("bad", "g");
        scene.subscribe("good", "g");
        gateway.isStuck = "bad"::equals;
        scene.change("d");
        run(3000);
        scene.change("d");
        run(100);
        assertThat(Scene.got(gateway, "good")).hasSize(2);
        assertThat(scene.lane("g").lastError()).isPresent();
        gateway.isStuck = id -> false;
        run(20_000);
        assertThat(Scene.got(gateway, "bad")).hasSize(2);
        assertThat(scene.lane("g").lastError()).isEmpty();
    }

    @Test
    void anErrorOutOfADelivererIsAFailedAttempt() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        gateway.thrown = new NoClassDefFoundError("a class of the client");
        List<ChangeEvent> events = scene.changes(3);
        run(200);
        gateway.thrown = null;
        run(20_000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
    }

    /** BinData of subtype 2 repeats its length; where the two differ no JSON can be written. */
    private static RawBson unwritable() {
        ByteBuffer bson = ByteBuffer.allocate(21).order(ByteOrder.LITTLE_ENDIAN);
        bson.putInt(21)
                .put((byte) 5)
                .put("b".getBytes(StandardCharsets.US_ASCII))
                .put((byte) 0);
        bson.putInt(8).put((byte) 2).putInt(100).putInt(7).put((byte) 0);
        return RawBson.of(bson.array());
    }

    @Test
    void anEventThatCannotBeWrittenAsJsonBecomesADeadLetterAndCanBeRetried() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        List<ChangeEvent> others = new ArrayList<>(scene.changes(2));
        ChangeEvent broken = scene.feed.append("db0", "c", "broken", unwritable());
        others.addAll(scene.changes(2));
        gateway.poison = delivery -> delivery.event().event().id().equals(broken.id()) ? 2 : 0;
        run(20_000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(others));
        assertThat(scene.letters.byId.values())
                .extracting(DeadLetter::eventId)
                .containsExactly(broken.id().toString());
        assertThat(scene.savedLow()).isEqualTo(scene.feed.all.size());
        assertThat(scene.lane("g").inFlight()).isZero();

        String letter = scene.letters.byId.keySet().iterator().next();
        assertThat(scene.streamer.retry(List.of(letter), false).accepted()).containsExactly(letter);
        run(5000);
        assertThat(scene.letters.byId).as("refused again").containsOnlyKeys(letter);
        gateway.poison = delivery -> 0;
        assertThat(scene.streamer.retry(List.of(letter), false).accepted()).containsExactly(letter);
        run(5000);
        assertThat(scene.letters.byId).isEmpty();
        Delivery last = Scene.taken(gateway, "s").getLast();
        assertThat(last.event().event().document()).isEqualTo(unwritable());
        assertThat(last.event().event().timestamp()).isEqualTo(broken.timestamp());
    }

    /** Whatever fails while an answer is handled: the batch counts as failed and goes out again. */
    @Test
    void aDeadLetterThatCannotBeHandedOverIsHandedOverLater() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        List<ChangeEvent> events = scene.changes(5);
        ChangeEvent refused = events.get(2);
        gateway.poison = delivery -> delivery.event().event().id().equals(refused.id()) ? 1 : 0;
        scene.life.failingTasks = 4;
        run(20_000);
        assertThat(scene.life.failingTasks).isZero();
        assertThat(scene.letters.byId.values())
                .extracting(DeadLetter::eventId)
                .containsExactly(refused.id().toString());
        assertThat(Scene.got(gateway, "s")).hasSize(4);
        assertThat(scene.lane("g").inFlight()).isZero();
        assertThat(scene.savedLow()).isEqualTo(scene.feed.all.size());
    }

    @Test
    void aGatewayThatRegistersAgainAtItsAddressIsServedAtOnce() {
        SimulatedGateway gateway = scene.up("g");
        scene.subscribe("s", "g");
        gateway.mode = SimulatedGateway.Mode.DOWN;
        List<ChangeEvent> events = scene.changes(30);
        run(10_000);
        assertThat(scene.lane("g").breaker()).isEqualTo("open");
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.streamer.registeredAgain(Scene.address("g"));
        run(1500);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(events));
    }

    /** The attempts under way at the old address end as failures after the gateway came up at the new one. */
    @Test
    void failuresAtTheOldAddressDoNotCountAgainstTheNewOne() {
        Scene wide = new Scene(SceneSettings.of(new LaneSettings(
                new LaneSettings.Batch(1, 1 << 20, Duration.ofMillis(50), Duration.ofMillis(10)),
                Scene.SMALL.queue(),
                Scene.SMALL.retry(),
                Scene.SMALL.breaker(),
                8,
                true)));
        SimulatedGateway gateway = wide.up("g");
        for (int k = 0; k < 8; k++) {
            wide.subscribe("s" + k, "g");
        }
        gateway.mode = SimulatedGateway.Mode.HUNG;
        ChangeEvent event = wide.change("d");
        wide.run(4000);
        gateway.mode = SimulatedGateway.Mode.WELL;
        wide.streamer.up(new GatewayAddress("g", Protocol.HTTP, "http://elsewhere"));
        wide.run(2500);
        assertThat(wide.lane("g").breaker()).isEqualTo("closed");
        for (int k = 0; k < 8; k++) {
            assertThat(Scene.got(gateway, "s" + k)).containsExactly(event.id());
        }
    }

    private static boolean ends(Thread thread) {
        try {
            return thread.join(Duration.ofSeconds(3));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
