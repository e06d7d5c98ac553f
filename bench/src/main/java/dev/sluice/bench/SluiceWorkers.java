package dev.sluice.bench;

import dev.sluice.worker.LaneStatus;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.partition.Partitions;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Workers as an application embeds them, on their defaults. */
final class SluiceWorkers implements WorkersUnderTest {
    private static final long PATIENCE_NANOS = 120_000_000_000L;
    private static final int POLL_MILLIS = 20;

    private final WorkerProcess.Settings settings;
    private final HandledMessages handled;
    private final List<Connection> connections = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();

    SluiceWorkers(WorkerProcess.Settings settings, HandledMessages handled) {
        this.settings = settings;
        this.handled = handled;
    }

    @Override
    public void start(String run) throws Exception {
        for (int k = 0; k < settings.workers(); k++) {
            Connection connection =
                    Nats.connect(Options.builder().server(settings.url()).build());
            connections.add(connection);
            workers.add(Worker.builder(connection).stream(WorkerShape.STREAM)
                    .prefix(run)
                    .partitions(partitions())
                    .handler((context, message) -> {
                        handled.handled(message.data());
                        return Outcome.done();
                    })
                    .start());
        }
        long patience = System.nanoTime() + PATIENCE_NANOS;
        while (readLanes() < settings.shape().partitions()) {
            if (System.nanoTime() > patience) {
                throw new IllegalStateException("only " + readLanes() + " partitions are read");
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    private Partitions partitions() {
        WorkerShape shape = settings.shape();
        return shape.hashed()
                ? Partitions.hashed(WorkerShape.PREFIX, shape.partitions())
                : Partitions.list(shape.filters());
    }

    /** Owned partitions that some consumer feeds. */
    private long readLanes() {
        return workers.stream()
                .flatMap(worker -> worker.status().lanes().stream())
                .filter(lane -> lane.source() != LaneStatus.Source.NONE)
                .count();
    }

    @Override
    public void stop() throws Exception {
        // Together, as when a deployment ends: one after the other, each would hand its partitions to the rest.
        try (ExecutorService together = Executors.newVirtualThreadPerTaskExecutor()) {
            workers.forEach(worker -> together.submit(worker::close));
        }
        workers.clear();
        for (Connection connection : connections) {
            connection.close();
        }
        connections.clear();
    }
}
