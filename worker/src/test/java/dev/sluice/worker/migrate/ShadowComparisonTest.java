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
            assertThat(comparison.difference()).isEmpty();
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
            assertThat(comparison.difference()).isEmpty();
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
        assertThat(comparison.difference()).isEqualTo("partition 1 got 2 messages, its shadow 3 of the same sequences");
        comparison.begin();
        scene.publishAndTake(1);
        assertThat(comparison.difference()).as("the next window").isEmpty();
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
        assertThat(comparison.difference()).startsWith("partition 0 got 2 messages, its shadow 2");
    }

    @Test
    void aSideThatDoesNotCatchUpIsADifference() {
        ShadowComparison comparison = scene.comparison(PER_PARTITION);
        comparison.begin();
        scene.publish(0);
        scene.model.pass(Duration.ofSeconds(1));
        assertThat(comparison.difference()).startsWith("partition 0 takes in messages too late");
        comparison.close();
    }

    @Test
    void aShadowThatIsGoneIsADifferenceAndIsReplaced() {
        ShadowComparison comparison = scene.comparison(PER_WORKER);
        comparison.begin();
        String first = scene.consumers().getFirst();
        scene.model.stream().consumers().delete(first);
        scene.publishAndTake(0);
        assertThat(comparison.difference()).contains("shadow");
        comparison.begin();
        scene.publishAndTake(0);
        assertThat(comparison.difference()).isEmpty();
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
        assertThat(comparison.difference()).isEmpty();
        scene.lanes.add(second);
        scene.take(1, before);
        comparison.begin();
        scene.publishAndTake(0);
        scene.publishAndTake(1);
        assertThat(comparison.difference()).isEmpty();
        scene.lanes.getFirst().stop();
        comparison.begin();
        scene.publishAndTake(1);
        assertThat(comparison.difference()).isEmpty();
        assertThat(scene.consumers()).hasSize(1);
    }
}
