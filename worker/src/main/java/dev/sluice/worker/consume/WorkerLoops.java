package dev.sluice.worker.consume;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.run.LoopFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The background loops of one worker. The health of its process reads {@link #failing}. */
public final class WorkerLoops {
    private final Clockwork clockwork;
    private final Problems problems;
    private final Set<WorkerLoop> running = ConcurrentHashMap.newKeySet();

    public WorkerLoops(Clockwork clockwork, Problems problems) {
        this.clockwork = clockwork;
        this.problems = problems;
    }

    /**
     * Runs the step over and over on a thread of this name.
     *
     * @param wake ends the pause between two steps
     * @param closed whether to begin no further step
     * @param step returns the pause before the next step
     */
    public void start(String name, Clockwork.Signal wake, BooleanSupplier closed, Supplier<Duration> step) {
        loop(name, wake, closed, step);
    }

    WorkerLoop loop(String name, Clockwork.Signal wake, BooleanSupplier closed, Supplier<Duration> step) {
        WorkerLoop loop = new WorkerLoop(name, clockwork, problems, wake, closed, step);
        running.add(loop);
        try {
            clockwork.start(name, () -> {
                loop.run();
                // Only after a normal end: a loop that threw stays visible.
                running.remove(loop);
            });
        } catch (RuntimeException | Error noThread) {
            running.remove(loop);
            throw noThread;
        }
        return loop;
    }

    /** Loops that fail for another reason than an outage of NATS, or ended before they were told to. */
    public List<LoopFailure> failing() {
        List<LoopFailure> failing = new ArrayList<>();
        for (WorkerLoop loop : running) {
            LoopFailure failure = loop.failure();
            if (failure != null) {
                failing.add(failure);
            }
        }
        return failing;
    }
}
