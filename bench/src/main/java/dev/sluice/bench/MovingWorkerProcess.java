package dev.sluice.bench;

import dev.sluice.worker.LaneStatus;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.partition.Partitions;
import io.nats.client.Connection;
import io.nats.client.Nats;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The main class of one worker that comes, goes or is killed; its handler takes a millisecond. Commands: {@code start},
 * {@code lanes} (owned partitions, and how many of them the durable feeds), {@code stop}.
 */
public final class MovingWorkerProcess {
    private static final long HANDLER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final String name;
    private final String group;
    private final WorkerShape shape;
    private final Connection connection;
    private @Nullable Worker worker;

    private MovingWorkerProcess(String name, String group, WorkerShape shape, Connection connection) {
        this.name = name;
        this.group = group;
        this.shape = shape;
        this.connection = connection;
    }

    /** @param args name of the worker, group, shape, address of the server */
    public static void main(String[] args) throws Exception {
        CommandLoop.run(() ->
                new MovingWorkerProcess(args[0], args[1], WorkerShape.parse(args[2]), Nats.connect(args[3]))::answer);
    }

    private String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "start" -> worker = start();
            case "stop" -> {
                if (worker != null) {
                    worker.close();
                    worker = null;
                }
            }
            case "lanes" -> {
                List<LaneStatus> lanes =
                        worker == null ? List.of() : worker.status().lanes();
                return lanes.size() + " "
                        + lanes.stream()
                                .filter(lane -> lane.source() == LaneStatus.Source.DURABLE)
                                .count();
            }
            default -> throw new IllegalArgumentException("there is no command " + words[0]);
        }
        return "";
    }

    private Worker start() {
        return Worker.builder(connection).stream(WorkerShape.STREAM)
                .prefix(group)
                .partitions(Partitions.list(shape.filters()))
                .handler((context, message) -> {
                    LockSupport.parkNanos(HANDLER_NANOS);
                    HandlingTimeline.report(connection, name, context.partition());
                    return Outcome.done();
                })
                .start();
    }
}
