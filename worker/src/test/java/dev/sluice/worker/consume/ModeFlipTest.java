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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The consumer mode of a running worker changes while messages come. */
class ModeFlipTest {
    private final List<Long> published = new ArrayList<>();
    private List<LaneRunner> lanes = List.of();

    /** A worker that handles its partitions from one durable consumer. */
    private FeedingScene scene(Retention retention, int partitions) {
        FeedingScene scene = new FeedingScene(retention, draft -> {
            draft.maxSingles = 0;
            draft.onGap = OnGap.CONTINUE;
        });
        lanes = IntStream.range(0, partitions).mapToObj(scene::lane).toList();
        lanes.forEach(scene.feeding::add);
        scene.feeding.step();
        flow(scene);
        assertFedBy(scene, Source.DURABLE, 1);
        return scene;
    }

    /** A worker with a shared consumer gets one per partition, and one consumer again. */
    @ParameterizedTest
    @EnumSource
    void everyMessageIsHandledOnceAndInOrderWhileTheModeChangesBothWays(Retention retention) {
        FeedingScene scene = scene(retention, 2);
        for (int times = 0; times < 3; times++) {
            scene.mode = PER_PARTITION;
            assertThat(scene.feeding.isSwitched()).isFalse();
            flow(scene);
            assertThat(scene.feeding.isSwitched()).isTrue();
            assertFedBy(scene, Source.CATCH_UP, 2);
            scene.mode = PER_WORKER;
            assertThat(scene.feeding.isSwitched()).isFalse();
            scene.feeding.step();
            assertThat(scene.feeding.isSwitched()).as("lanes could join").isFalse();
            flow(scene);
            assertThat(scene.feeding.isSwitched()).isTrue();
            assertFedBy(scene, Source.DURABLE, 1);
        }
        assertHandledOnceAndInOrder(scene);
    }

    /** A change in the middle of a change: some lanes have moved, others have not. */
    @ParameterizedTest
    @EnumSource
    void aChangeThatIsTakenBackHalfwayLosesNothing(Retention retention) {
        FeedingScene scene = scene(retention, 2);
        for (int times = 0; times < 10; times++) {
            scene.mode = scene.mode == PER_WORKER ? PER_PARTITION : PER_WORKER;
            publish(scene);
            scene.feeding.step();
            publish(scene);
        }
        scene.mode = PER_WORKER;
        flow(scene);
        assertFedBy(scene, Source.DURABLE, 1);
        assertHandledOnceAndInOrder(scene);
    }

    /** A consumer that starts behind a cursor of the old stream would leave out what the new stream has. */
    @ParameterizedTest
    @EnumSource
    void lanesDoNotMoveByCursorsOfAStreamThatIsGone(Retention retention) {
        FeedingScene scene = scene(retention, 2);
        scene.handled.clear();
        published.clear();
        scene.model.makeAgain();
        scene.mode = PER_PARTITION;
        for (int step = 0; step < 5; step++) {
            step(scene);
        }
        flow(scene);
        assertFedBy(scene, Source.CATCH_UP, 2);
        assertHandledOnceAndInOrder(scene);
        assertThat(scene.context.counters().gaps.sum()).isEqualTo(2);
    }

    /** Then the shared consumer is the only one that keeps the message in the stream. */
    @Test
    void onAnInterestStreamAMessageOfALaneWhoseOwnConsumerIsGoneIsKept() {
        FeedingScene scene = scene(Retention.INTEREST, 10);
        scene.mode = PER_PARTITION;
        scene.feeding.step();
        Reader own = scene.feeding.readers().stream()
                .filter(reader -> !reader.isDurable())
                .findFirst()
                .orElseThrow();
        scene.context.stream().consumers().delete(own.name());
        own.broken("its consumer is gone");
        publish(scene);
        scene.pass();
        flow(scene);
        assertHandledOnceAndInOrder(scene);
    }

    /** A lane stays with the consumer it has, and the next attempt waits. */
    @ParameterizedTest
    @EnumSource(names = {"LIMITS", "INTEREST"})
    void lanesWhoseConsumerCannotBeCreatedStayWhereTheyAre(Retention retention) {
        FeedingScene scene = scene(retention, 10);
        int before = scene.model.calls("create").size();
        scene.model.leaveUnanswered("create");
        scene.mode = PER_PARTITION;
        scene.feeding.step();
        scene.feeding.step();
        assertThat(scene.model.calls("create")).hasSize(before + 1);
        assertFedBy(scene, Source.DURABLE, 1);
        scene.model.leaveUnanswered("stream info");
        scene.time.pass(Duration.ofSeconds(1));
        scene.feeding.step();
        assertFedBy(scene, Source.DURABLE, 1);
        scene.model.leaveUnanswered("-");
        scene.time.pass(Duration.ofSeconds(2));
        scene.feeding.step();
        assertThat(lanes.stream().filter(lane -> scene.feeding.sourceOf(lane.lane()) == Source.CATCH_UP))
                .as("lanes that move in one step")
                .hasSize(8);
        flow(scene);
        assertFedBy(scene, Source.CATCH_UP, 10);
        assertHandledOnceAndInOrder(scene);
    }

    private void assertFedBy(FeedingScene scene, Source source, int consumers) {
        assertThat(lanes).allMatch(lane -> scene.feeding.sourceOf(lane.lane()) == source);
        assertThat(scene.context.stream().consumers().names("")).hasSize(consumers);
    }

    private void assertHandledOnceAndInOrder(FeedingScene scene) {
        for (int partition = 0; partition < lanes.size(); partition++) {
            assertThat(ofPartition(scene.handled, partition))
                    .as("messages of partition %d", partition)
                    .isEqualTo(ofPartition(published, partition));
        }
    }

    private List<Long> ofPartition(List<Long> sequences, int partition) {
        return sequences.stream()
                .filter(sequence -> (sequence - 1) % lanes.size() == partition)
                .toList();
    }

    private void flow(FeedingScene scene) {
        for (int step = 0; step < 15; step++) {
            publish(scene);
            scene.feeding.step();
            publish(scene);
            step(scene);
        }
    }

    private static void step(FeedingScene scene) {
        scene.feeding.step();
        scene.feeding.deleteRetired();
        scene.pass();
        scene.time.pass(Duration.ofSeconds(1));
    }

    /** One message of each partition in turn. */
    private void publish(FeedingScene scene) {
        for (int i = 0; i < lanes.size(); i++) {
            published.add((long) published.size() + 1);
            scene.publish("p." + i);
        }
    }
}
