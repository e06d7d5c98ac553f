package dev.sluice.grpc;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one task on shared threads, never twice at the same time, and once more whenever it was woken since it began. Any
 * thread may wake it; waking costs next to nothing when it is due anyway.
 */
final class Turns {
    private static final int RESTING = 0;
    private static final int DUE = 1;
    private static final int RUNNING = 2;
    private static final int RUNNING_AND_DUE = 3;

    private static final Logger LOG = LoggerFactory.getLogger(Turns.class);

    private final Executor threads;
    private final Runnable task;
    private final AtomicInteger state = new AtomicInteger(RESTING);

    Turns(Executor threads, Runnable task) {
        this.threads = threads;
        this.task = task;
    }

    void wake() {
        int before = state.getAndUpdate(now -> now == RESTING ? DUE : now == RUNNING ? RUNNING_AND_DUE : now);
        if (before == RESTING) {
            submit();
        }
    }

    private void run() {
        state.set(RUNNING);
        try {
            task.run();
        } finally {
            if (state.getAndUpdate(now -> now == RUNNING ? RESTING : DUE) == RUNNING_AND_DUE) {
                submit();
            }
        }
    }

    /**
     * The caller (the log's writer, for one) must not suffer from a server that has stopped or cannot start a thread; the
     * next wake-up tries again.
     */
    private void submit() {
        try {
            threads.execute(this::run);
        } catch (RejectedExecutionException stopped) {
            state.set(RESTING);
        } catch (Throwable noThread) {
            state.set(RESTING);
            LOG.error("No thread could be had for a consumer's turn; it is tried again at the next tick.", noThread);
        }
    }
}
