package dev.sluice.worker.consume;

import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_PARTITION;
import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_WORKER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.LaneStatus.Source;
import dev.sluice.worker.WorkerSettings.OnGap;
import dev.sluice.worker.lane.LaneRunner;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The consumer mode of a running worker changes while messages come. */
class ModeFlipTest {
    private final List<Long> published = new ArrayList<>();

    /** A worker with a shared consumer gets one per partition, and one consumer again. */
    @ParameterizedTest
    @EnumSource
    void everyMessageIsHandledOnceAndInOrderWhileTheModeChangesBothWays(Retention retention) {
        FeedingScene scene = new FeedingScene(retention, draft -> draft.maxSingles = 0);
        List<LaneRunner> lanes = List.of(scene.lane(0), scene.lane(1));
        lanes.forEach(scene.feeding::add);
        scene.feeding.step();
        flow(scene);
        assertThat(sources(scene, lanes)).containsOnly(Source.DURABLE);
        assertThat(consumers(scene)).hasSize(1);
        for (int times = 0; times < 3; times++) {
            scene.mode = PER_PARTITION;
            assertThat(scene.feeding.isSwitched()).isFalse();
            flow(scene);
            assertThat(scene.feeding.isSwitched()).isTrue();
            assertThat(sources(scene, lanes)).containsOnly(Source.CATCH_UP);
            assertThat(consumers(scene)).hasSize(2);
            scene.mode = PER_WORKER;
            assertThat(scene.feeding.isSwitched()).isFalse();
            flow(scene);
            assertThat(scene.feeding.isSwitched()).isTrue();
            assertThat(sources(scene, lanes)).containsOnly(Source.DURABLE);
            assertThat(consumers(scene)).hasSize(1);
        }
        assertHandledOnceAndInOrder(scene);
    }

    /** A change in the middle of a change: some lanes have moved, others have not. */
    @ParameterizedTest
    @EnumSource
    void aChangeThatIsTakenBackHalfwayLosesNothing(Retention retention) {
        FeedingScene scene = new FeedingScene(retention, draft -> draft.maxSingles = 0);
        List<LaneRunner> lanes = List.of(scene.lane(0), scene.lane(1));
        lanes.forEach(scene.feeding::add);
        scene.feeding.step();
        flow(scene);
        for (int times = 0; times < 10; times++) {
            scene.mode = scene.mode == PER_WORKER ? PER_PARTITION : PER_WORKER;
            publish(scene);
            scene.feeding.step();
            publish(scene);
        }
        scene.mode = PER_WORKER;
        flow(scene);
        assertThat(sources(scene, lanes)).containsOnly(Source.DURABLE);
        assertThat(consumers(scene)).hasSize(1);
        assertHandledOnceAndInOrder(scene);
    }

    /** A consumer that starts behind a cursor of the old stream would leave out what the new stream has. */
    @ParameterizedTest
    @EnumSource
    void lanesDoNotMoveByCursorsOfAStreamThatIsGone(Retention retention) {
        FeedingScene scene = new FeedingScene(retention, draft -> {
            draft.maxSingles = 0;
            draft.onGap = OnGap.CONTINUE;
        });
        List<LaneRunner> lanes = List.of(scene.lane(0), scene.lane(1));
        lanes.forEach(scene.feeding::add);
        scene.feeding.step();
        flow(scene);
        assertThat(sources(scene, lanes)).containsOnly(Source.DURABLE);
        scene.handled.clear();
        published.clear();
        scene.model.makeAgain();
        scene.mode = PER_PARTITION;
        for (int step = 0; step < 5; step++) {
            scene.feeding.step();
            scene.feeding.deleteRetired();
            scene.pass();
            scene.time.pass(Duration.ofSeconds(1));
        }
        flow(scene);
        assertThat(sources(scene, lanes)).containsOnly(Source.CATCH_UP);
        assertHandledOnceAndInOrder(scene);
        assertThat(scene.context.counters().gaps.sum()).isEqualTo(2);
    }

    private void assertHandledOnceAndInOrder(FeedingScene scene) {
        for (int partition = 0; partition < 2; partition++) {
            assertThat(ofPartition(scene.handled, partition))
                    .as("messages of partition %d", partition)
                    .isEqualTo(ofPartition(published, partition));
        }
    }

    private static List<Long> ofPartition(List<Long> sequences, int partition) {
        return sequences.stream()
                .filter(sequence -> (sequence + 1) % 2 == partition)
                .toList();
    }

    private void flow(FeedingScene scene) {
        for (int step = 0; step < 15; step++) {
            publish(scene);
            scene.feeding.step();
            publish(scene);
            scene.feeding.deleteRetired();
            scene.pass();
            scene.time.pass(Duration.ofSeconds(1));
        }
    }

    /** Odd sequences are of the first partition, even ones of the second. */
    private void publish(FeedingScene scene) {
        for (int i = 0; i < 2; i++) {
            published.add((long) published.size() + 1);
            scene.publish("p." + i);
        }
    }

    private static List<Source> sources(FeedingScene scene, List<LaneRunner> lanes) {
        return lanes.stream().map(lane -> scene.feeding.sourceOf(lane.lane())).toList();
    }

    private static List<String> consumers(FeedingScene scene) {
        return scene.context.stream().consumers().names("");
    }
}
