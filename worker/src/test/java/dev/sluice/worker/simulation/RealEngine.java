package dev.sluice.worker.simulation;

import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.testkit.simulation.Node;
import dev.sluice.testkit.simulation.NodeClockwork;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerBuilder;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The worker as applications embed it, on simulated threads, time, store and stream. */
record RealEngine(Worker worker) implements SimulatedWorker {
    private static final Duration BETWEEN_STARTS = Duration.ofSeconds(1);

    /** Starts again and again, as a supervisor does, until store and stream answer. */
    static SimulatedWorker start(Node node, WorkerWorld world) {
        return start(node, world, world.settings.consumers());
    }

    /** As after a change of worker.consumers that some processes have seen and others have not. */
    static SimulatedWorker startInEitherMode(Node node, WorkerWorld world) {
        return start(node, world, world.simulation.chance(0.5) ? ConsumerMode.PER_WORKER : ConsumerMode.PER_PARTITION);
    }

    private static SimulatedWorker start(Node node, WorkerWorld world, ConsumerMode mode) {
        while (true) {
            Worker started = tryToStart(node, world, mode);
            if (started != null) {
                return new RealEngine(started);
            }
            node.sleep(BETWEEN_STARTS, "starts again");
        }
    }

    private static @Nullable Worker tryToStart(Node node, WorkerWorld world, ConsumerMode mode) {
        String life = node.name() + '/' + node.life() + '/' + world.incarnation();
        try {
            return builder()
                    .prefix(WorkerWorld.PREFIX)
                    .partitions(Partitions.list(world.subjects))
                    .handler((context, message) -> {
                        world.handle(
                                node,
                                context.partition(),
                                context.token(),
                                life,
                                message.sequence(),
                                context.attempt());
                        return Outcome.done();
                    })
                    .settings(world.settings.with(draft -> draft.consumers = mode))
                    .deadLetters(new SimulatedDeadLetters(world, node))
                    .store(world.storeOf(node))
                    .messageStream(world.jetStream.connect(node))
                    .clockwork(new NodeClockwork(node, 1))
                    .wallClock(node.clock())
                    .incarnations(world::incarnation)
                    .start();
        } catch (StoreUnavailableException | StreamUnavailableException e) {
            return null;
        }
    }

    @SuppressWarnings("NullAway") // store and stream are given, so no connection is needed
    private static WorkerBuilder builder() {
        return Worker.builder(null);
    }

    @Override
    public int owned() {
        return worker.status().lanes().size();
    }

    @Override
    public boolean hasConsumerPerPartition() {
        return worker.status().mode() == ConsumerMode.PER_PARTITION;
    }

    @Override
    public Collection<String> consumers() {
        return worker.status().consumers();
    }

    @Override
    public void close() {
        worker.close();
    }
}
