package dev.sluice.run;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A step that runs over and over on a daemon thread of the loop's name, until it is stopped or the step says it is done. */
public final class Loop implements AutoCloseable {
    /** Upper bound of the pause between two failed steps. */
    public static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(15);

    private final Loops.Plan plan;
    private final Step step;
    private final Thread thread;
    private final Semaphore wakes = new Semaphore(0);
    private volatile boolean stopped;
    private volatile @Nullable Failing failing;
    /** What ended the thread although it should run; null while it runs, or ended as it should. */
    private volatile @Nullable Throwable endedBy;

    /** A run of failed steps. */
    private record Failing(long since, long count, Throwable cause) {}

    Loop(Loops.Plan plan, Step step) {
        this.plan = plan;
        this.step = step;
        this.thread = plan.platformThread()
                ? Thread.ofPlatform().name(plan.name()).daemon().unstarted(this::run)
                : Thread.ofVirtual().name(plan.name()).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            boolean more = true;
            while (more && !stopped) {
                Duration pause = guardedStep();
                more = pause != null;
                if (pause != null && pause.isPositive() && wakes.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
                    wakes.drainPermits();
                }
            }
        } catch (InterruptedException interrupted) {
            endedBy = stopped ? null : interrupted;
        } catch (Throwable whileFailing) {
            // Out of memory while a failure was noted, most likely.
            endedBy = whileFailing;
        } finally {
            end();
        }
    }

    private @Nullable Duration guardedStep() throws InterruptedException {
        try {
            Duration pause = step.run();
            succeeded();
            return pause;
        } catch (InterruptedException interrupted) {
            throw interrupted;
        } catch (Throwable failure) {
            return failed(failure);
        }
    }

    private void succeeded() {
        Failing before = failing;
        if (before != null) {
            failing = null;
            LOG.info("Loop {} works again after {} failed steps", plan.name(), before.count());
        }
    }

    /** Logs the first failure of a run with its stack trace, the others in one line; returns the back-off. */
    private Duration failed(Throwable failure) {
        Failing before = failing;
        long count = before == null ? 1 : before.count() + 1;
        failing = new Failing(before == null ? plan.loops().nanos() : before.since(), count, failure);
        Duration pause = backoff(count);
        try {
            if (count == 1) {
                LOG.error("A step of loop {} failed; retrying in {} ms", plan.name(), pause.toMillis(), failure);
            } else {
                LOG.warn("Step of loop {} failed {} times: {}", plan.name(), count, failure.toString());
            }
        } catch (Throwable whileLogging) {
            // Out of memory, most likely: the failure stays visible in Loops.failing().
        }
        return pause;
    }

    private Duration backoff(long failures) {
        long factor = 1L << Math.min(failures - 1, 20);
        Duration pause = plan.retryAfter().multipliedBy(factor);
        return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }

    private void end() {
        logEnd();
        try {
            Runnable last = plan.atEnd();
            if (last != null) {
                last.run();
            }
        } catch (Throwable failure) {
            LOG.error("Loop {} failed while it ended", plan.name(), failure);
        } finally {
            if (endedBy == null) {
                plan.loops().ended(this);
            }
        }
    }

    private void logEnd() {
        Throwable cause = endedBy;
        if (cause != null) {
            try {
                LOG.error("Loop {} has ended", plan.name(), cause);
            } catch (Throwable whileLogging) {
                // Out of memory, most likely: the end stays visible in Loops.failing().
            }
        }
    }

    /** The present run of failures, or what ended the loop although it should run; null while steps succeed. */
    @Nullable
    LoopFailure failure() {
        Failing now = failing;
        Throwable end = endedBy;
        Throwable cause = end == null && now != null ? now.cause() : end;
        if (cause == null) {
            return null;
        }
        return new LoopFailure(
                plan.name(),
                now == null ? 1 : now.count(),
                now == null ? Duration.ZERO : Duration.ofNanos(plan.loops().nanos() - now.since()),
                cause,
                end != null);
    }

    public String name() {
        return plan.name();
    }

    /** Ends the present pause, or the next one if a step is running. */
    public void wake() {
        wakes.release();
    }

    /** Lets no further step begin; does not wait for the running one. */
    public void askToStop() {
        stopped = true;
        wakes.release();
        if (isOver()) {
            plan.loops().ended(this);
        }
    }

    /** Waits for the thread's end; false when it takes longer than this or the caller is interrupted. */
    public boolean join(Duration timeout) {
        try {
            return thread.join(timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Lets no further step begin, and interrupts the running one. */
    public void interrupt() {
        askToStop();
        thread.interrupt();
    }

    /** Whether the thread has ended. */
    public boolean isOver() {
        return thread.getState() == Thread.State.TERMINATED;
    }

    /** Stops and waits, at most 15 s for the running step, then interrupts it and waits once more. */
    @Override
    public void close() {
        askToStop();
        if (!join(CLOSE_TIMEOUT)) {
            interrupt();
            if (!join(CLOSE_TIMEOUT)) {
                LOG.warn(
                        "Loop {} did not end within {} s",
                        plan.name(),
                        CLOSE_TIMEOUT.multipliedBy(2).toSeconds());
            }
        }
    }
}
