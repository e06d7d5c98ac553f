package dev.sluice.capture;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls a step over and over on a virtual thread of its own, pausing as long as the step says, until it is stopped. */
final class StepThread {
    private static final Logger LOG = LoggerFactory.getLogger(StepThread.class);

    /** One bounded piece of work. */
    interface Step {
        /** How long to wait before the next. */
        Duration run() throws InterruptedException;
    }

    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread;

    private StepThread(String name, Step step, Runnable atTheEnd) {
        this.thread = Thread.ofVirtual().name(name).start(() -> run(step, atTheEnd));
    }

    /** @param atTheEnd runs on the same thread after the last step */
    static StepThread start(String name, Step step, Runnable atTheEnd) {
        return new StepThread(name, step, atTheEnd);
    }

    private void run(Step step, Runnable atTheEnd) {
        try {
            boolean stopped = stop.getCount() == 0;
            while (!stopped) {
                Duration pause = step.run();
                stopped = pause.isZero() ? stop.getCount() == 0 : stop.await(pause.toNanos(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException stopped) {
            LOG.debug("{} was interrupted", Thread.currentThread().getName());
        } catch (RuntimeException bug) {
            LOG.error("{} ended by a bug", Thread.currentThread().getName(), bug);
        } finally {
            atTheEnd.run();
        }
    }

    void askToStop() {
        stop.countDown();
    }

    /** After {@link #askToStop}: waits for the end, and interrupts the thread if it takes longer than this. */
    void join(Duration patience) {
        boolean interrupted = false;
        try {
            if (!thread.join(patience)) {
                thread.interrupt();
                thread.join(patience);
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
