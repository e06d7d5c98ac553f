package dev.sluice.worker.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.worker.Partition;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.WorkerSettings.OnGap;
import dev.sluice.worker.lane.LaneRunner;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FeedingTest {
    /** Nothing else would begin it: the message is in its queue, and no consumer delivers it again. */
    @Test
    void aMessageWhoseThreadCouldNotBeStartedIsHandledWithTheNextStep() {
        FeedingScene scene = new FeedingScene(Retention.LIMITS);
        scene.feeding.add(scene.lane(0));
        scene.feeding.step();
        scene.time.noThreads(true);
        scene.publish("p.0");
        assertThatThrownBy(scene::pass).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(scene.feeding::step).isInstanceOf(OutOfMemoryError.class);
        assertThat(scene.handled).isEmpty();
        scene.time.noThreads(false);
        scene.feeding.step();
        assertThat(scene.handled).containsExactly(1L);
    }

    /** The consumer has delivered what came behind the end of the closed partition, and the lane refused it. */
    @ParameterizedTest
    @EnumSource
    void aPartitionThatIsOpenedAgainIsReadAgainBehindItsLastMessage(Retention retention) {
        FeedingScene scene = new FeedingScene(retention);
        LaneRunner lane = scene.lane(0);
        scene.feeding.add(lane);
        scene.feeding.step();
        scene.publish("p.0");
        scene.time.noThreads(true);
        assertThatThrownBy(scene::pass).isInstanceOf(OutOfMemoryError.class);
        lane.lane().partition(new Partition(0, "0", "p.0", true, 1));
        scene.publish("p.0");
        scene.publish("p.0");
        scene.pass();
        lane.lane().partition(Partition.open(0, "0", "p.0"));
        scene.time.noThreads(false);
        scene.publish("p.0");
        scene.pass();
        List<String> consumers = afterSomeSteps(scene);
        assertThat(scene.handled).containsExactly(1L, 2L, 3L, 4L);
        assertThat(lane.lane().cursor().low()).isEqualTo(4);
        assertThat(consumers).hasSize(1);
        assertThat(afterSomeSteps(scene)).as("it stays on that consumer").isEqualTo(consumers);
    }

    private static List<String> afterSomeSteps(FeedingScene scene) {
        for (int step = 0; step < 10; step++) {
            scene.feeding.step();
            scene.feeding.deleteRetired();
            scene.pass();
            scene.time.pass(Duration.ofSeconds(1));
        }
        return scene.context.stream().consumers().names("");
    }

    /** An update without an answer may take effect after the one that followed it. */
    @Test
    void aFilterThatComesBackIsTakenOutAgain() {
        FeedingScene scene = new FeedingScene(Retention.INTEREST);
        LaneRunner moved = scene.lane(1);
        scene.feeding.add(scene.lane(0));
        scene.feeding.add(moved);
        afterSomeSteps(scene);
        ConsumerSpec before = scene.feeding.readers().getFirst().spec();
        scene.feeding.remove(moved);
        afterSomeSteps(scene);
        assertThat(scene.filters()).containsExactly("p.0");
        scene.context.stream().consumers().changeFilters(before);
        assertThat(scene.filters()).containsExactly("p.0", "p.1");
        afterSomeSteps(scene);
        afterSomeSteps(scene);
        assertThat(scene.filters()).containsExactly("p.0");
    }

    /** The server tells it with deliveries only, and these are not here yet. */
    @Test
    void theMessagesThatAreLeftAreAskedFor() {
        FeedingScene scene = new FeedingScene(Retention.LIMITS);
        scene.feeding.add(scene.lane(0));
        scene.publish("p.0");
        scene.publish("p.0");
        scene.feeding.step();
        assertThat(scene.feeding.pending()).isEqualTo(2);
        scene.feeding.refreshPending();
        assertThat(scene.feeding.pending()).isZero();
    }

    /** A consumer that starts behind a cursor of the old stream would leave out what the new stream has. */
    @ParameterizedTest
    @EnumSource
    void noDurableIsMadeForCursorsOfAStreamThatIsGone(Retention retention) {
        FeedingScene scene = new FeedingScene(retention, draft -> {
            draft.maxSingles = 0;
            draft.onGap = OnGap.CONTINUE;
        });
        scene.feeding.add(scene.lane(0));
        scene.feeding.add(scene.lane(1));
        scene.mode = ConsumerMode.PER_PARTITION;
        scene.feeding.step();
        scene.publishAndPass("p.0", "p.1", "p.0", "p.1");
        scene.model.makeAgain();
        scene.mode = ConsumerMode.PER_WORKER;
        afterSomeSteps(scene);
        scene.publishAndPass("p.0", "p.1");
        afterSomeSteps(scene);
        assertThat(scene.handled).containsExactly(1L, 2L, 3L, 4L, 1L, 2L);
        assertThat(scene.context.counters().gaps.sum()).isEqualTo(2);
    }

    /** The leader looks for consumers of dead workers every few seconds only. */
    @Test
    void onAWorkQueueConsumersOfTheDeadAreAskedForWhenTheyAreInTheWay() {
        FeedingScene scene = new FeedingScene(Retention.WORK_QUEUE);
        ConsumerSpec dead = new ConsumerSpecs("g", "w2", "dead", StreamKind.WORK_QUEUE, scene.context.settings())
                .durable(List.of("p.0"), 0);
        scene.context.stream().consumers().create(dead);
        scene.feeding.add(scene.lane(0));
        scene.feeding.step();
        assertThat(scene.overlaps).isEqualTo(1);
    }
}
