package dev.sluice.worker.consume;

import dev.sluice.coordinate.Clockwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls that wait for a server, a few at a time. The first one goes alone: a server that is away is asked only once.
 * After a call without success no further one begins; all that began have ended when {@link #run} returns. When its thread is
 * interrupted, the calls under way are interrupted, too.
 */
final class ParallelCalls {
    private static final Duration LOOK = Duration.ofMillis(100);

    private final Clockwork clockwork;
    private final int atATime;

    ParallelCalls(Clockwork clockwork, int atATime) {
        this.clockwork = clockwork;
        this.atATime = atATime;
    }

    /**
     * Makes the calls in this order. Throws what the first failed call threw.
     *
     * @return how many were begun, if one of them returned false; empty when all returned true
     */
    OptionalInt run(String name, List<BooleanSupplier> calls) {
        Run run = new Run(calls);
        int helpers = run.makeCall() ? Math.min(atATime, calls.size() - 1) - 1 : 0;
        for (int k = 0; k < helpers; k++) {
            start(name, run);
        }
        run.makeCalls();
        run.awaitHelpers();
        return run.result();
    }

    /** The calls are made without a helper that cannot be started, more slowly. */
    private void start(String name, Run run) {
        run.begin();
        try {
            clockwork.start(name, run::help);
        } catch (RuntimeException | Error e) {
            run.end();
            if (!clockwork.goesOnAfter(e)) {
                throw e;
            }
        }
    }

    private final class Run {
        private final List<BooleanSupplier> calls;
        private final List<Thread> helpers = new ArrayList<>();
        private final Clockwork.Signal ended = clockwork.signal();
        private int helping;
        private int begun;
        private boolean stopped;
        private @Nullable Throwable failure;

        Run(List<BooleanSupplier> calls) {
            this.calls = calls;
        }

        synchronized void begin() {
            helping++;
        }

        void help() {
            try {
                synchronized (this) {
                    helpers.add(Thread.currentThread());
                }
                makeCalls();
            } finally {
                end();
            }
        }

        void end() {
            synchronized (this) {
                helping--;
                helpers.remove(Thread.currentThread());
            }
            ended.raise();
        }

        void makeCalls() {
            boolean more = true;
            while (more) {
                more = makeCall();
            }
        }

        /** Whether to go on. */
        boolean makeCall() {
            BooleanSupplier call = next();
            try {
                if (call != null && !call.getAsBoolean()) {
                    stop(null);
                }
            } catch (RuntimeException | Error e) {
                stop(e);
                if (!clockwork.goesOnAfter(e)) {
                    throw e;
                }
            }
            return call != null && !isStopped();
        }

        private synchronized @Nullable BooleanSupplier next() {
            return stopped || begun == calls.size() ? null : calls.get(begun++);
        }

        private synchronized void stop(@Nullable Throwable cause) {
            stopped = true;
            failure = failure == null ? cause : failure;
        }

        private synchronized boolean isStopped() {
            return stopped;
        }

        void awaitHelpers() {
            boolean interrupted = false;
            while (isHelped()) {
                ended.await(LOOK);
                interrupted |= Thread.interrupted();
                if (interrupted) {
                    stop(null);
                    interruptHelpers();
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        private synchronized boolean isHelped() {
            return helping > 0;
        }

        private synchronized void interruptHelpers() {
            helpers.forEach(clockwork::interrupt);
        }

        synchronized OptionalInt result() {
            if (failure instanceof RuntimeException e) {
                throw e;
            }
            if (failure instanceof Error e) {
                throw e;
            }
            return stopped ? OptionalInt.of(begun) : OptionalInt.empty();
        }
    }
}
