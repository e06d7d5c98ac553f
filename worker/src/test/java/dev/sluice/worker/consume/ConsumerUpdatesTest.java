package dev.sluice.worker.consume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.simulation.ManualModel;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.StreamState.Retention;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConsumerUpdatesTest {
    private final ManualTime time = new ManualTime();
    private final WorkerContext context = time.context(
            new ManualModel(Retention.LIMITS, -1, true).stream(),
            StreamKind.LIMITS,
            new ServerTrouble(time, StreamKind.LIMITS),
            PartitionMap.empty());
    private final ConsumerUpdates updates =
            new ConsumerUpdates(context, new RetiredConsumers(context), filters -> true);
    private final ConsumerSpecs specs = new ConsumerSpecs("g", "w1", "life", StreamKind.LIMITS, context.settings());

    @Test
    void failedUpdatesInARowAreAProblemThatNamesTheDifference() {
        ConsumerSpec spec = specs.durable(List.of("p.1", "p.2", "p.3", "p.4", "p.5", "p.6", "p.7"), 1);
        for (int failure = 1; failure <= 2; failure++) {
            assertThat(updates.changeFilters(spec, List.of("p.0", "p.1"))).isFalse();
            assertThat(context.problems().texts()).isEmpty();
        }
        assertThat(updates.changeFilters(spec, List.of("p.0", "p.1"))).isFalse();
        assertThat(context.problems().texts())
                .singleElement()
                .asString()
                .contains("3 times in a row", "adds [p.2, p.3, p.4, p.5, p.6 and 1 more], removes [p.0]");
        assertThat(context.counters().updateFailures.sum()).isEqualTo(3);
        assertThat(updates.create(spec, List.of())).isNotNull();
        assertThat(context.problems().texts()).isEmpty();
    }
}
