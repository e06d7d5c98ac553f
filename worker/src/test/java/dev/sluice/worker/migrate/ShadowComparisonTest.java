package dev.sluice.worker.migrate;

import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_PARTITION;
import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_WORKER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.lane.TestFeed;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages that lanes take in are compared with those that consumers of the other mode deliver. */
class ShadowComparisonTest {
    private final ComparisonScene scene = new ComparisonScene();

    @ParameterizedTest
    @EnumSource
    void windowsInWhichBothSidesGetTheSameAreGood(ConsumerMode target) {
        ShadowComparison comparison = scene.comparison(target);
        scene.publishAndTake(0);
        for (int window = 0; window < 3; window++) {
            comparison.begin();
            scene.publishAndTake(0);
            scene.publishAndTake(1);
            scene.publishAndTake(0);
            assertThat(comparison.verdict()).isEqualTo(Verdict.GOOD);
        }
        assertThat(scene.consumers()).hasSize(target == PER_PARTITION ? 2 : 1);
        comparison.close();
        assertThat(scene.consumers()).isEmpty();
    }

    @Test
    void quietWindowsAreGood() {
        scene.publishAndTake(0);
        ShadowComparison comparison = scene.comparison(PER_WORKER);
        for (int window = 0; window < 3; window++) {
            comparison.begin();
            assertThat(comparison.verdict()).isEqualTo(Verdict.GOOD);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMessageThatTheLaneMissedIsADifference(ConsumerMode target) {
        ShadowComparison comparison = scene.comparison(target);
        comparison.begin();
        scene.publishAndTake(1);
        scene.publish(1);
        scene.publishAndTake(1);
        assertThat(comparison.verdict())
                .isEqualTo(Verdict.bad(
                        "partition 1 missed 1 messages that its shadow got, the shadow 0 that the partition got"));
        comparison.begin();
        scene.publishAndTake(1);
        assertThat(comparison.verdict()).as("the next window").isEqualTo(Verdict.GOOD);
    }

    /** The old mode may be slow; what it has not taken in yet is compared when it has. */
    @Test
    void aPartitionThatIsBehindItsShadowIsComparedInALaterWindow() {
        ShadowComparison comparison = scene.comparison(PER_PARTITION);
        comparison.begin();
        scene.publish(0);
        long late = scene.publish(0);
        scene.model.pass(Duration.ofSeconds(1));
        assertThat(comparison.verdict().kind()).isEqualTo(Verdict.Kind.NEUTRAL);
        comparison.begin();
        scene.take(0, late);
        scene.publishAndTake(0);
        assertThat(comparison.verdict().text()).startsWith("partition 0 missed 1 messages");
    }

    @Test
    void aShadowThatDoesNotCatchUpIsBad() {
        ShadowComparison comparison = scene.comparison(PER_PARTITION);
        comparison.begin();
        scene.model.losesDeliveries(true);
        scene.publishAndTake(0);
        assertThat(comparison.verdict())
                .isEqualTo(Verdict.bad("the shadow of partition 0 lags: it stands at sequence 0"));
    }

    @Test
    void aShadowThatIsTooFarBehindIsReplaced() {
        ShadowComparison comparison = scene.comparison(PER_WORKER);
        comparison.begin();
        String first = scene.consumers().getFirst();
        for (int i = 0; i < 10_001; i++) {
            scene.publishAndTake(0);
        }
        assertThat(comparison.verdict().kind()).isEqualTo(Verdict.Kind.BAD);
        comparison.begin();
        assertThat(scene.consumers()).hasSize(1).doesNotContain(first);
    }

    @Test
    void aWindowInWhichNothingIsComparedCountsForNeitherSide() {
        ShadowComparison comparison = scene.comparison(PER_PARTITION);
        scene.lanes.forEach(lane -> lane.detach(lane.feed()));
        comparison.begin();
        assertThat(comparison.verdict()).isEqualTo(Verdict.neutral("no partition could be compared"));
        scene.lanes.clear();
        comparison.begin();
        assertThat(comparison.verdict()).as("a worker without partitions").isEqualTo(Verdict.GOOD);
    }

    /** As it would not join their consumer: a shared shadow would begin with all that is between. */
    @Test
    void aPartitionFarBehindHasNoPartInASharedShadow() {
        scene.lanes.get(1).attach(new TestFeed());
        scene.take(0, 1_000_000);
        ShadowComparison comparison = scene.comparison(PER_WORKER);
        comparison.begin();
        String shadow = scene.consumers().getFirst();
        assertThat(scene.model.stream().consumers().info(shadow).orElseThrow().filters())
                .containsExactly("p.0");
    }

    /** 5,000 messages and 16 MiB for all of a worker: each asks for its part, also the first one that is opened. */
    @ParameterizedTest
    @CsvSource({"1, 500, 16777216", "10, 500, 1677721", "80, 62, 209715", "1200, 4, 16384"})
    void shadowsShareOneBound(int shadows, int messages, int bytes) {
        ComparisonScene many = new ComparisonScene(shadows, -1);
        many.comparison(PER_PARTITION).begin();
        assertThat(many.model.calls("pull"))
                .hasSize(shadows)
                .allMatch(call -> call.startsWith("pull " + messages + " messages, " + bytes + " bytes from"));
    }

    /** The consumers that handle may need the room. */
    @Test
    void whenTheStreamHasNoRoomForAllShadowsNoneIsKept() {
        ComparisonScene full = new ComparisonScene(10, 5);
        ShadowComparison comparison = full.comparison(PER_PARTITION);
        comparison.begin();
        assertThat(full.consumers()).isEmpty();
        assertThat(comparison.verdict().kind()).isEqualTo(Verdict.Kind.BAD);
    }

    @Test
    void aShadowThatIsLostCountsForNeitherSideAndIsReplaced() {
        ShadowComparison comparison = scene.comparison(PER_WORKER);
        comparison.begin();
        String first = scene.consumers().getFirst();
        scene.model.stream().consumers().delete(first);
        scene.publishAndTake(0);
        scene.model.pass(Duration.ofMinutes(1));
        assertThat(comparison.verdict().kind()).isEqualTo(Verdict.Kind.NEUTRAL);
        comparison.begin();
        scene.publishAndTake(0);
        assertThat(comparison.verdict()).isEqualTo(Verdict.GOOD);
        assertThat(scene.consumers()).hasSize(1).doesNotContain(first);
    }

    /** What came before the partition did is not compared. */
    @ParameterizedTest
    @EnumSource
    void aPartitionThatComesOrGoesChangesTheShadows(ConsumerMode target) {
        var second = scene.lanes.remove(1);
        ShadowComparison comparison = scene.comparison(target);
        comparison.begin();
        scene.publishAndTake(0);
        long before = scene.publish(1);
        assertThat(comparison.verdict()).isEqualTo(Verdict.GOOD);
        scene.lanes.add(second);
        scene.take(1, before);
        comparison.begin();
        scene.publishAndTake(0);
        scene.publishAndTake(1);
        assertThat(comparison.verdict()).isEqualTo(Verdict.GOOD);
        scene.lanes.getFirst().stop();
        comparison.begin();
        scene.publishAndTake(1);
        assertThat(comparison.verdict()).isEqualTo(Verdict.GOOD);
        assertThat(scene.consumers()).hasSize(1);
    }
}
