package dev.sluice.worker.migrate;

import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_PARTITION;
import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_WORKER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.WorkerSettings.ConsumerMode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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

    /** Whether the lane or its shadow is the one that has missed something. */
    @ParameterizedTest
    @EnumSource
    void aMessageThatOneSideMissedIsADifference(ConsumerMode target) {
        ShadowComparison comparison = scene.comparison(target);
        comparison.begin();
        scene.publishAndTake(1);
        scene.publish(1);
        scene.publishAndTake(1);
        assertThat(comparison.verdict())
                .isEqualTo(Verdict.bad("partition 1 got 2 messages, its shadow 3 of the same sequences"));
        comparison.begin();
        scene.publishAndTake(1);
        assertThat(comparison.verdict()).as("the next window").isEqualTo(Verdict.GOOD);
    }

    /** One message is missing, another comes too much. */
    @Test
    void otherMessagesInEqualNumberAreADifference() {
        ShadowComparison comparison = scene.comparison(PER_PARTITION);
        comparison.begin();
        long lost = scene.publish(0);
        scene.publish(1);
        scene.take(0, lost + 1);
        scene.publishAndTake(0);
        scene.take(1, lost + 1);
        assertThat(comparison.verdict().text()).startsWith("partition 0 got 2 messages, its shadow 2");
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
        assertThat(comparison.verdict().text()).startsWith("partition 0 got 1 messages, its shadow 2");
    }

    @Test
    void aShadowThatDoesNotCatchUpIsBad() {
        ShadowComparison comparison = scene.comparison(PER_PARTITION);
        comparison.begin();
        scene.model.losesDeliveries(true);
        scene.publishAndTake(0);
        assertThat(comparison.verdict())
                .isEqualTo(Verdict.bad("the shadow of partition 0 lags: it stands at sequence 0, its partition at 1"));
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
        scene.lanes.get(1).attach(new ComparisonScene.ByHand());
        scene.take(0, 1_000_000);
        ShadowComparison comparison = scene.comparison(PER_WORKER);
        comparison.begin();
        String shadow = scene.consumers().getFirst();
        assertThat(scene.model.stream().consumers().info(shadow).orElseThrow().filters())
                .containsExactly("p.0");
    }

    /** Each further one would wait for a full timeout. */
    @Test
    void afterADeletionWithoutAnAnswerNoOtherIsTried() {
        ShadowComparison comparison = scene.comparison(PER_PARTITION);
        comparison.begin();
        scene.model.leaveUnanswered("delete");
        scene.lanes.forEach(lane -> lane.detach(lane.feed()));
        comparison.begin();
        assertThat(scene.model.calls("delete")).isEqualTo(1);
    }

    @Test
    void aShadowThatIsGoneIsADifferenceAndIsReplaced() {
        ShadowComparison comparison = scene.comparison(PER_WORKER);
        comparison.begin();
        String first = scene.consumers().getFirst();
        scene.model.stream().consumers().delete(first);
        scene.publishAndTake(0);
        assertThat(comparison.verdict().kind()).isEqualTo(Verdict.Kind.BAD);
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
