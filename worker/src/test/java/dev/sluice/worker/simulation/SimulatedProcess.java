package dev.sluice.worker.simulation;

import dev.sluice.testkit.simulation.Node;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A process that runs a worker: crashes and comes back, leaves and joins again. */
final class SimulatedProcess {
    final Node node;
    private final WorkerWorld world;
    private final SimulatedWorker.Engine engine;
    private @Nullable SimulatedWorker worker;
    private boolean away;

    SimulatedProcess(String name, WorkerWorld world, SimulatedWorker.Engine engine) {
        this.world = world;
        this.engine = engine;
        this.node = world.simulation.node(name, this::boot);
    }

    private void boot(Node self) {
        away = false;
        worker = null;
        self.fiber("main", () -> worker = engine.start(self, world));
    }

    @Nullable
    SimulatedWorker worker() {
        return node.isUp() ? worker : null;
    }

    void leaveAndComeBack(Duration after) {
        SimulatedWorker leaving = worker();
        if (leaving != null && !away && !node.isPaused()) {
            away = true;
            node.fiber("leaves", () -> {
                leaving.close();
                worker = null;
                node.sleep(after, "is away");
                away = false;
                worker = engine.start(node, world);
            });
        }
    }
}
