package dev.sluice.worker.consume;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.coordinate.VirtualThreads;
import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.WorkerListener;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.stream.MessageStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Time that passes when the test says so; what is started runs at once. */
final class ManualTime implements Clockwork {
    private long now = System.nanoTime();

    private final List<String> started = new ArrayList<>();
    private boolean noThreads;
    private int bodiesToKeep = -1;

    /** From now on so many threads can be started, and what they would run is not run. */
    void keepsBodies(int most) {
        bodiesToKeep = most;
    }

    List<String> started() {
        return started;
    }

    /** While this is so, no thread can be started. */
    void noThreads(boolean now) {
        noThreads = now;
    }

    void pass(Duration time) {
        now += time.toNanos();
    }

    WorkerContext context(MessageStream stream, StreamKind kind, ServerTrouble trouble, PartitionMap partitions) {
        WorkerSettings settings = WorkerSettings.DEFAULT;
        return context(stream, kind, trouble, partitions, settings, settings::consumers);
    }

    WorkerContext context(
            MessageStream stream,
            StreamKind kind,
            ServerTrouble trouble,
            PartitionMap partitions,
            WorkerSettings settings,
            Supplier<ConsumerMode> modes) {
        Problems problems = new Problems();
        return new WorkerContext(
                stream,
                kind,
                1,
                settings,
                new WorkerCounters(),
                WorkerListener.NONE,
                problems,
                new WorkerLoops(this, problems),
                trouble,
                this,
                InstantSource.system(),
                () -> partitions,
                modes,
                () -> false);
    }

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public void start(String name, Runnable body) {
        if (noThreads || bodiesToKeep == 0) {
            throw new OutOfMemoryError("unable to create native thread");
        }
        started.add(name);
        if (bodiesToKeep < 0) {
            body.run();
        } else {
            bodiesToKeep--;
        }
    }

    @Override
    public Signal signal() {
        return new VirtualThreads().signal();
    }
}
