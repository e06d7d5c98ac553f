package dev.sluice.worker.consume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.coordinate.GroupControl;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.model.FencingToken;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Partition;
import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.WorkerListener;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.cursor.CursorStore;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.lane.LaneRunner;
import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.simulation.ManualModel;
import dev.sluice.worker.stream.Consumers;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * While a server may be stopping, no consumer of an interest stream is deleted or loses a filter; see also {@code
 * RetiredConsumersTest}.
 */
class ServerTroubleTest {
    private static final Duration TROUBLE = Duration.ofSeconds(4);
    private static final Duration LONGER = Duration.ofSeconds(2);

    private final ManualTime time = new ManualTime();
    private final ServerTrouble trouble = new ServerTrouble(time, StreamKind.INTEREST);
    private final ManualModel model = new ManualModel(Retention.INTEREST, -1, true);
    private final PartitionMap partitions =
            new PartitionMap(1, List.of(Partition.open(0, "0", "p.0"), Partition.open(1, "1", "p.1")));

    @Test
    void aPartitionThatMovedAwayStaysInTheFilterOfItsConsumer() {
        WorkerContext context = time.context(model.stream(), StreamKind.INTEREST, trouble, partitions);
        Clockwork.Signal signal = time.signal();
        ConsumerSpecs specs = new ConsumerSpecs("g", "w1", "life", StreamKind.INTEREST, context.settings());
        Feeding feeding = new Feeding(context, specs, successor -> true, signal, signal);
        LaneRunner moved = lane(1);
        feeding.add(lane(0));
        feeding.add(moved);
        feeding.step();
        assertThat(filters(feeding)).containsExactly("p.0", "p.1");
        feeding.remove(moved);
        trouble.begins();
        time.pass(TROUBLE);
        feeding.step();
        assertThat(filters(feeding)).containsExactly("p.0", "p.1");
        time.pass(LONGER);
        feeding.step();
        assertThat(filters(feeding)).containsExactly("p.0");
    }

    @Test
    void theConsumerOfADeadWorkerStays() {
        // On a limits stream no owner is asked for first.
        WorkerContext context = time.context(model.stream(), StreamKind.LIMITS, trouble, partitions);
        ConsumerSpecs dead = new ConsumerSpecs("g", "w1", "dead", StreamKind.LIMITS, context.settings());
        Consumers consumers = context.stream().consumers();
        consumers.create(dead.durable(List.of("p.0"), 1));
        var store = new InMemoryCoordinationStore();
        Housekeeping housekeeping =
                new Housekeeping(context, "g", new GroupControl(store, "g"), new CursorStore(store, "g"));
        trouble.begins();
        time.pass(TROUBLE);
        housekeeping.step();
        assertThat(consumers.names("")).hasSize(1);
        time.pass(LONGER);
        housekeeping.step();
        assertThat(consumers.names("")).isEmpty();
    }

    /** The filters of the durable consumer as the server has them. */
    private List<String> filters(Feeding feeding) {
        model.pass(Duration.ofSeconds(1));
        String durable = feeding.readers().getFirst().name();
        return model.stream().consumers().info(durable).orElseThrow().filters();
    }

    private LaneRunner lane(int index) {
        Lane lane =
                new Lane(partitions.at(index).orElseThrow(), new FencingToken(1, 1), Cursor.startingAfter(0, 0), true);
        lane.markFresh();
        return new LaneRunner(
                lane,
                () -> true,
                new LaneRunner.Shop(
                        (context, message) -> Outcome.done(),
                        given -> null,
                        WorkerSettings.DEFAULT,
                        new WorkerCounters(),
                        WorkerListener.NONE,
                        time,
                        InstantSource.system(),
                        "w1",
                        () -> false,
                        recorded -> {}));
    }
}
