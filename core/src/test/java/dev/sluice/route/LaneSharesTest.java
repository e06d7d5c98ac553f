package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lane.LaneStatus;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Partitioner;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Partitions of one node share the room of a gateway's lane: a busy one holds up no other. */
class LaneSharesTest {
    private static final int PARTITIONS = 2;

    private final Scene scene = new Scene(SceneSettings.of(Scene.SMALL), PARTITIONS);
    private final SimulatedGateway gateway = scene.up("g");

    private List<ChangeEvent> changes(int partition, int count) {
        Partitioner partitioner = new Partitioner(PARTITIONS);
        List<ChangeEvent> changes = new ArrayList<>();
        for (int k = 0; changes.size() < count; k++) {
            if (partitioner.partitionOf("c", "d" + k) == partition) {
                changes.add(scene.change("d" + k));
            }
        }
        return changes;
    }

    @Test
    void aBusyPartitionTakesNoRoomFromTheOthers() {
        scene.subscribe("s", "g");
        scene.run(100);
        gateway.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> busy = changes(0, 100);
        scene.run(1_000);
        List<ChangeEvent> quiet = changes(1, 3);
        scene.run(1_000);
        assertThat(scene.lane("g").behind())
                .extracting(LaneStatus.Behind::partition)
                .containsExactly(0);
        assertThat(scene.streamer.subscription("s").orElseThrow().standings())
                .filteredOn(each -> each.partition() == 0)
                .singleElement()
                .satisfies(each -> assertThat(each.waits()).contains("9 of its partition's share of 10 waiting"));
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(60_000);
        assertThat(Scene.got(gateway, "s")).containsAll(Scene.ids(busy)).containsAll(Scene.ids(quiet));
        assertThat(scene.lane("g").behind()).isEmpty();
    }
}
