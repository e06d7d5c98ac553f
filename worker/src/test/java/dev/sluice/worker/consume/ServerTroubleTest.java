package dev.sluice.worker.consume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.GroupControl;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.worker.cursor.CursorStore;
import dev.sluice.worker.lane.LaneRunner;
import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.stream.Consumers;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * While a server may be stopping, no consumer of an interest stream is deleted or loses a filter; see also {@code
 * RetiredConsumersTest}.
 */
class ServerTroubleTest {
    private static final Duration TROUBLE = Duration.ofSeconds(4);
    private static final Duration LONGER = Duration.ofSeconds(2);

    private final FeedingScene scene = new FeedingScene(Retention.INTEREST);

    @Test
    void aPartitionThatMovedAwayStaysInTheFilterOfItsConsumer() {
        Feeding feeding = scene.feeding;
        LaneRunner moved = scene.lane(1);
        feeding.add(scene.lane(0));
        feeding.add(moved);
        feeding.step();
        feeding.deleteRetired();
        assertThat(scene.filters()).containsExactly("p.0", "p.1");
        feeding.remove(moved);
        scene.trouble.begins();
        scene.time.pass(TROUBLE);
        feeding.step();
        assertThat(scene.filters()).containsExactly("p.0", "p.1");
        scene.time.pass(LONGER);
        feeding.step();
        assertThat(scene.filters()).containsExactly("p.0");
    }

    @Test
    void theConsumerOfADeadWorkerStays() {
        // On a limits stream no owner is asked for first.
        WorkerContext context =
                scene.time.context(scene.model.stream(), StreamKind.LIMITS, scene.trouble, PartitionMap.empty());
        ConsumerSpecs dead = new ConsumerSpecs("g", "w1", "dead", StreamKind.LIMITS, context.settings());
        Consumers consumers = context.stream().consumers();
        consumers.create(dead.durable(List.of("p.0"), 1));
        InMemoryCoordinationStore store = new InMemoryCoordinationStore();
        Housekeeping housekeeping =
                new Housekeeping(context, "g", new GroupControl(store, "g"), new CursorStore(store, "g"));
        scene.trouble.begins();
        scene.time.pass(TROUBLE);
        housekeeping.step();
        assertThat(consumers.names("")).hasSize(1);
        scene.time.pass(LONGER);
        housekeeping.step();
        assertThat(consumers.names("")).isEmpty();
    }
}
