package dev.sluice.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.capture.CaptureSettings.OnGap;
import dev.sluice.capture.CaptureSettings.Start;
import dev.sluice.capture.CaptureStatus;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.log.EventRecord;
import dev.sluice.model.Operation;
import dev.sluice.testkit.faults.Fault;
import dev.sluice.testkit.faults.FaultProxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What goes wrong at a source, and that nothing is lost by it, or lost silently. */
class MongoFaultsTest {
    /** Writes in flight have their times already, so the time that servers gossip is later than that of the next event. */
    @Test
    void whatWasInFlightWhenAStreamOpensIsCapturedAfterAResync() {
        try (Rig rig = Rig.start()) {
            rig.insert("orders", "a");
            rig.untilLogged(1);
            rig.script().keepInFlight(5);
            rig.script().rollOplogOver();
            rig.until(() -> rig.operations().contains(Operation.RESYNC));
            rig.insert("orders", "b", "c");
            rig.until(() -> rig.documents().contains("c"));
            assertThat(rig.documents()).containsExactly("a", "b", "c");
            assertThat(rig.counters().gapsDetected()).isOne();
            assertThat(rig.operations()).containsOnlyOnce(Operation.RESYNC);
        }
    }

    @Test
    void whatWasInFlightAtTheFirstStartIsCaptured() {
        try (Rig rig = Rig.start()) {
            rig.script().keepInFlight(5);
            try (Rig second = rig.besideFromNow(same -> same)) {
                second.opened();
                rig.insert("orders", "a", "b");
                second.until(() -> second.documents().contains("b"));
                assertThat(second.documents()).containsExactly("a", "b");
            }
        }
    }

    /** Applied is not committed: such a write has an earlier time than any "now" of the primary, and comes later. */
    @Test
    void aWriteThatTheMajorityDoesNotHaveYetIsCapturedAfterTheFirstStart() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.script().holdCommitted(rig.script().newest());
            rig.insert("orders", "applied only");
            rig.opened();
            rig.script().holdCommitted(null);
            rig.insert("orders", "b");
            rig.until(() -> rig.documents().contains("b"));
            assertThat(rig.documents()).containsExactly("applied only", "b");
        }
    }

    @Test
    void aWriteThatTheMajorityDoesNotHaveYetIsCapturedAfterAGap() {
        try (Rig rig = Rig.start()) {
            rig.insert("orders", "a");
            rig.untilLogged(1);
            rig.script().rollOplogOver();
            rig.script().holdCommitted(rig.script().newest());
            rig.insert("orders", "applied only");
            rig.restart().until(() -> rig.operations().contains(Operation.RESYNC));
            rig.script().holdCommitted(null);
            rig.insert("orders", "b");
            rig.until(() -> rig.documents().contains("b"));
            assertThat(rig.documents()).containsExactly("a", "applied only", "b");
            assertThat(rig.counters().gapsDetected()).isOne();
        }
    }

    private static final Duration IMPATIENT = Duration.ofMillis(400);

    @Test
    void lostHistoryIsAResync() {
        try (Rig rig = Rig.start()) {
            rig.insert("orders", "kept");
            rig.untilLogged(1);
            rig.insert("orders", "lost");
            rig.script().rollOplogOver();
            rig.restart().until(() -> rig.operations().contains(Operation.RESYNC));
            rig.insert("orders", "after");
            rig.untilLogged(3);
            assertThat(rig.operations()).containsExactly(Operation.INSERT, Operation.RESYNC, Operation.INSERT);
            assertThat(rig.counters().gapsDetected()).isOne();
        }
    }

    /** Row 5: the open stream sees 136, which alone is no gap; the reopening sees 286, which is. */
    @Test
    void anOplogThatRollsOverUnderAnOpenStreamIsAGapOnlyWhenReopeningFails() {
        try (Rig rig = Rig.start()) {
            rig.insert("orders", "kept");
            rig.untilLogged(1);
            rig.script().rollOplogOver();
            rig.insert("orders", "after");
            rig.until(() -> rig.operations().contains(Operation.RESYNC));
            assertThat(rig.documents()).contains("kept");
            assertThat(rig.counters().gapsDetected()).isOne();
        }
    }

    @Test
    void aGapStopsCaptureWhereThatIsThePolicy() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.capture = rig.capture.withOnGap(OnGap.STOP);
            rig.restart().opened();
            rig.insert("orders", "lost");
            rig.script().rollOplogOver();
            rig.restart().until(() -> rig.loop().state().status() == CaptureStatus.STOPPED_BY_GAP);
            assertThat(rig.operations()).isEmpty();
        }
    }

    /** Row 5: the token of an event that the new filter hides is unknown to the server: 280. */
    @Test
    void aChangedFilterReadsTheTokensTimeAgain() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withFilter(CollectionFilter.including("orders")))
                    .opened();
            rig.insert("orders", "a", "b");
            rig.untilLogged(2);
            rig.insert("invoices", "i1");
            rig.insert("orders", "hidden from now on");
            rig.restart(settings -> settings.withFilter(CollectionFilter.including("invoices")));
            rig.untilLogged(3);
            rig.insert("invoices", "i2");
            rig.untilLogged(4);
            assertThat(rig.documents()).containsExactly("a", "b", "i1", "i2");
            assertThat(rig.counters().gapsDetected()).isZero();
        }
    }

    @Test
    void aFilterWidenedAfterACrashIsAResyncAndNothingBehindItIsLost() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withFilter(CollectionFilter.including("orders")))
                    .opened();
            for (int k = 1; k <= 4; k++) {
                rig.insert("orders", "o" + k);
                rig.insert("invoices", "i" + k);
            }
            rig.killedAfter(3);
            assertThat(rig.documents()).containsExactly("o1", "o2", "o3");
            rig.restart(settings -> settings.withFilter(CollectionFilter.including("orders", "invoices")));
            rig.insert("invoices", "i5");
            rig.untilLogged(8);
            assertThat(rig.documents()).containsExactly("o1", "o2", "o3", "i3", "o4", "i4", "i5");
            assertThat(rig.operations().get(3)).isEqualTo(Operation.RESYNC);
            assertThat(rig.counters().gapsDetected()).isOne();
            rig.restart().insert("orders", "o6");
            rig.untilLogged(9);
            assertThat(rig.operations()).containsOnlyOnce(Operation.RESYNC);
        }
    }

    @Test
    void aFilterNarrowedAfterACrashIsHarmless() {
        try (Rig rig = Rig.start()) {
            for (int k = 1; k <= 3; k++) {
                rig.insert("orders", "o" + k);
                rig.insert("invoices", "i" + k);
            }
            rig.killedAfter(4);
            rig.restart(settings -> settings.withFilter(CollectionFilter.including("orders")));
            rig.insert("invoices", "hidden from now on");
            rig.insert("orders", "o4");
            rig.untilLogged(6);
            assertThat(rig.documents()).containsExactly("o1", "i1", "o2", "i2", "o3", "o4");
            assertThat(rig.counters().gapsDetected()).isZero();
        }
    }

    /** Promise 3: a new, never cut oplog accepts every time; what happened in between must not be lost silently. */
    @Test
    void aDeploymentThatTookThePlaceOfAnotherIsAResync() {
        try (Rig rig = Rig.start()) {
            rig.insert("orders", "a");
            rig.untilLogged(1);
            rig.server.close();
            InstantSource later = () -> Instant.now().plusSeconds(5);
            try (DevMongo another =
                    DevMongo.builder().port(rig.server.port()).clock(later).start()) {
                rig.insert("orders", "never captured before the restart");
                rig.restart();
                rig.until(() -> rig.counters().gapsDetected() == 1);
                rig.until(() -> rig.log.state().events() >= 2);
                rig.insert("orders", "b");
                rig.untilLogged(3);
                assertThat(another.port()).isEqualTo(rig.server.port());
                assertThat(rig.operations()).containsExactly(Operation.INSERT, Operation.RESYNC, Operation.INSERT);
            }
        }
    }

    /** Row 10: another deployment or a restored copy; MongoDB 4.4 itself finds the token whatever the filter. */
    @Test
    void theServersAnswer280WithAnUnchangedFilterIsAResync() {
        try (Rig rig = Rig.start()) {
            rig.insert("orders", "a");
            rig.untilLogged(1);
            rig.script().failNext(1, "aggregate", 280);
            rig.restart().until(() -> rig.operations().contains(Operation.RESYNC));
            rig.insert("orders", "after");
            rig.untilLogged(3);
            assertThat(rig.operations()).containsExactly(Operation.INSERT, Operation.RESYNC, Operation.INSERT);
            assertThat(rig.counters().gapsDetected()).isOne();
            assertThat(rig.counters().rescanned()).isZero();
        }
    }

    @Test
    void theServersAnswer280WithAChangedFilterReopensAtTheTime() {
        try (Rig rig = Rig.start()) {
            rig.transaction("orders", 0, 5);
            rig.untilLogged(5);
            rig.script().failNext(1, "aggregate", 280);
            rig.restart(settings -> settings.withFilter(CollectionFilter.excluding("audit")));
            rig.insert("orders", "after");
            rig.untilLogged(6);
            assertThat(rig.documents()).containsExactly("t0", "t1", "t2", "t3", "t4", "after");
            assertThat(rig.counters().rescanned()).isEqualTo(5);
            assertThat(rig.repeats()).isEqualTo(5);
            assertThat(rig.counters().gapsDetected()).isZero();
        }
    }

    @Test
    void aTokenTheServerRefusesStopsCapture() {
        for (int code : new int[] {260, 9, 14, 15, 40647, 40648, 40649, 50793, 50796, 50811}) {
            try (Rig rig = Rig.start()) {
                rig.script().failNext(1, "aggregate", code);
                rig.restart().steps(2);
                assertThat(rig.loop().state().status()).as("code " + code).isEqualTo(CaptureStatus.MISCONFIGURED);
                assertThat(rig.loop().state().reason()).contains("code " + code);
            }
        }
    }

    @Test
    void stepDownShutdownAndRestartOfTheSourceLoseNothing() {
        try (Rig rig = Rig.start()) {
            rig.restart(settings -> settings.withTimes(settings.maxAwait(), IMPATIENT));
            rig.insert("orders", "a");
            rig.untilLogged(1);
            rig.script().stepDown();
            rig.steps(3);
            rig.script().stepUp();
            rig.insert("orders", "b");
            rig.untilLogged(2);
            rig.script().shutDown();
            rig.until(() -> rig.loop().state().status() == CaptureStatus.RETRYING);
            rig.script().start();
            rig.insert("orders", "c");
            rig.untilLogged(3);
            rig.script().restart();
            rig.insert("orders", "d");
            rig.untilLogged(4);
            assertThat(rig.documents()).containsExactly("a", "b", "c", "d");
            assertThat(rig.counters().gapsDetected()).isZero();
        }
    }

    @Test
    void killedCursorsAndFailedReadsAreReopened() {
        try (Rig rig = Rig.start()) {
            for (int code : new int[] {43, 237, 11601, 11600, 136, 189, 6}) {
                rig.script().failNext(1, "getMore", code);
                rig.insert("orders", "after " + code);
            }
            rig.script().closeOnNext(2, "getMore");
            rig.insert("orders", "end");
            rig.untilLogged(8);
            assertThat(rig.documents()).hasSize(8).endsWith("end");
            assertThat(rig.counters().gapsDetected()).isZero();
        }
    }

    @Test
    void cutsAndBlackHolesOfTheNetworkLoseNothing() {
        try (Rig rig = new Rig(DevMongo.builder());
                FaultProxy proxy = FaultProxy.inFrontOf(rig.server.port())) {
            rig.restart(settings -> MongoSourceSettings.of(
                                    "mongodb://127.0.0.1:" + proxy.port() + "/?directConnection=true", Rig.DATABASE)
                            .withTimes(settings.maxAwait(), IMPATIENT))
                    .opened();
            rig.insert("orders", "a");
            rig.untilLogged(1);
            proxy.dropConnections();
            rig.insert("orders", "b");
            rig.untilLogged(2);
            proxy.cut();
            rig.insert("orders", "c");
            rig.until(() -> rig.loop().state().status() == CaptureStatus.RETRYING);
            proxy.heal();
            rig.untilLogged(3);
            proxy.set(new Fault.Swallow());
            rig.insert("orders", "d");
            rig.until(() -> rig.loop().state().status() == CaptureStatus.RETRYING);
            proxy.heal();
            rig.untilLogged(4);
            proxy.set(new Fault.CutAfter(300));
            rig.insert("orders", "e", "f");
            rig.untilLogged(6);
            assertThat(rig.documents()).containsExactly("a", "b", "c", "d", "e", "f");
            assertThat(rig.counters().gapsDetected()).isZero();
        }
    }

    @Test
    void aFirstStartFromTheEarliestReadsTheWholeOplog() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.insert("orders", "a", "b");
            rig.capture = rig.capture.withStart(Start.EARLIEST);
            rig.restart().untilLogged(2);
            assertThat(rig.documents()).containsExactly("a", "b");
        }
    }

    /** Any prefix and a resume is the whole: crashes at random points of a random history. */
    @Test
    void crashesAtAnyPointOfARandomHistoryLeaveItWhole() {
        for (long seed = 1; seed <= 3; seed++) {
            Random random = new Random(seed);
            int batch = 1 + random.nextInt(7);
            try (Rig rig = new Rig(DevMongo.builder())) {
                rig.restart(settings -> settings.withBatchSize(batch)).opened();
                int written = 0;
                for (int round = 0; round < 25; round++) {
                    int count = 1 + random.nextInt(8);
                    if (random.nextBoolean()) {
                        rig.transaction("orders", written, written + count);
                    } else {
                        rig.insert(
                                "orders",
                                IntStream.range(written, written + count)
                                        .mapToObj(k -> "t" + k)
                                        .toArray());
                    }
                    written += count;
                    rig.script().duplicateNext(random.nextInt(3));
                    rig.steps(random.nextInt(4));
                    if (random.nextInt(3) == 0) {
                        rig.restart();
                    }
                }
                rig.untilLogged(written);
                List<String> all =
                        IntStream.range(0, written).mapToObj(k -> "t" + k).toList();
                assertThat(rig.documents()).as("seed " + seed).isEqualTo(all);
                assertThat(rig.logged().stream().map(EventRecord::id).distinct())
                        .hasSize(written);
            }
        }
    }
}
