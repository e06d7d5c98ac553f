package dev.sluice.worker.consume;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.run.LoopFailure;
import dev.sluice.worker.stream.StreamRefusedException;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A step that a thread of the worker runs over and over. A failed step becomes a problem of the worker and is tried again. */
final class WorkerLoop {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerLoop.class);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    private final String name;
    private final Clockwork clockwork;
    private final Problems problems;
    private final Clockwork.Signal wake;
    private final BooleanSupplier closed;
    private final Supplier<Duration> step;
    private volatile @Nullable Thread thread;
    private volatile @Nullable Failing failing;
    private volatile @Nullable Throwable endedBy;
    private volatile boolean ended;

    /** Consecutive failed steps. */
    private record Failing(long since, long count, Throwable cause) {}

    /** @param step returns the pause before the next step, which {@code wake} ends */
    WorkerLoop(
            String name,
            Clockwork clockwork,
            Problems problems,
            Clockwork.Signal wake,
            BooleanSupplier closed,
            Supplier<Duration> step) {
        this.name = name;
        this.clockwork = clockwork;
        this.problems = problems;
        this.wake = wake;
        this.closed = closed;
        this.step = step;
    }

    void run() {
        thread = Thread.currentThread();
        try {
            while (!closed.getAsBoolean()) {
                wake.await(guardedStep());
            }
            problems.clear(problem());
        } catch (RuntimeException | Error failure) {
            // Out of memory while a failure was reported, most likely.
            endedBy = failure;
            throw failure;
        } finally {
            ended = true;
        }
    }

    private Duration guardedStep() {
        try {
            Duration pause = step.get();
            failing = null;
            problems.clear(problem());
            return pause;
        } catch (RuntimeException | Error failure) {
            if (!clockwork.goesOnAfter(failure)) {
                throw failure;
            }
            failed(failure);
            return RETRY_AFTER;
        }
    }

    private void failed(Throwable failure) {
        Failing before = failing;
        failing = isOfNats(failure)
                ? null
                : new Failing(
                        before == null ? clockwork.nanos() : before.since(),
                        before == null ? 1 : before.count() + 1,
                        failure);
        problems.report(
                problem(), "Loop " + name + " failed; retrying in " + RETRY_AFTER.toMillis() + " ms: " + failure);
        LOG.debug("Loop {} failed", name, failure);
    }

    private String problem() {
        return "loop-" + name;
    }

    /** NATS is away, or refuses a request: a restart of this process changes neither. */
    private static boolean isOfNats(Throwable failure) {
        return failure instanceof StreamUnavailableException
                || failure instanceof StreamRefusedException
                || failure instanceof StoreUnavailableException;
    }

    /** The thread that runs the steps; null before the first. */
    @Nullable
    Thread thread() {
        return thread;
    }

    boolean isEnded() {
        return ended;
    }

    /** Why steps fail, or why the thread ended early; null while all is well, NATS is the cause, or the loop was told to end. */
    @Nullable
    LoopFailure failure() {
        if (closed.getAsBoolean()) {
            return null;
        }
        Failing now = failing;
        Throwable end = endedBy;
        Throwable cause = end == null && now != null ? now.cause() : end;
        return cause == null
                ? null
                : new LoopFailure(
                        name,
                        now == null ? 1 : now.count(),
                        Duration.ofNanos(now == null ? 0 : clockwork.nanos() - now.since()),
                        cause,
                        end != null);
    }
}
