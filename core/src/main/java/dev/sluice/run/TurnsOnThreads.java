package dev.sluice.run;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The real turns: a platform thread per partition, and a few for everything else, because the event log may be native code
 * that virtual threads cannot leave.
 */
public final class TurnsOnThreads implements Turns, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TurnsOnThreads.class);
    private static final Duration AFTER_A_BUG = Duration.ofSeconds(1);

    private final AtomicInteger numbers = new AtomicInteger();
    private final ScheduledExecutorService shared;

    /** @param threads how many all background loops and tasks share */
    public TurnsOnThreads(int threads) {
        shared = Executors.newScheduledThreadPool(threads, work -> {
            Thread thread = new Thread(work, "streamer-" + numbers.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public RandomGenerator random() {
        return ThreadLocalRandom.current();
    }

    @Override
    public Loop loop(String name, Step step) {
        OwnThread loop = new OwnThread(name, step);
        Thread thread = new Thread(loop, name);
        thread.setDaemon(true);
        thread.start();
        return loop;
    }

    @Override
    public Loop background(String name, Step step) {
        Shared loop = new Shared(name, step);
        loop.wake();
        return loop;
    }

    @Override
    public void after(Duration delay, Runnable task) {
        if (!shared.isShutdown()) {
            shared.schedule(() -> guarded(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable bug) {
            LOG.error("a task of the streamer failed", bug);
        }
    }

    /**
     * A bug in a step, or a lack of memory, is said aloud and the step tried again: a partition that stands still would be
     * worse.
     */
    private static @Nullable Duration guarded(String name, Step step) {
        try {
            return step.run();
        } catch (Throwable bug) {
            LOG.atError()
                    .addKeyValue("loop", name)
                    .setCause(bug)
                    .log("a step of the streamer failed and is tried again");
            return AFTER_A_BUG;
        }
    }

    /** As {@link #guarded}; while it runs, the shared thread bears the loop's name. */
    private static @Nullable Duration named(String name, Step step) {
        Thread thread = Thread.currentThread();
        String usual = thread.getName();
        thread.setName(name);
        try {
            return guarded(name, step);
        } finally {
            thread.setName(usual);
        }
    }

    @Override
    public void close() {
        shared.shutdownNow();
    }

    private static final class OwnThread implements Loop, Runnable {
        private final String name;
        private final Step step;
        private final Semaphore wakes = new Semaphore(0);
        private volatile boolean stopped;
        private volatile boolean over;

        OwnThread(String name, Step step) {
            this.name = name;
            this.step = step;
        }

        @Override
        public void run() {
            try {
                while (!stopped) {
                    Duration pause = guarded(name, step);
                    if (pause == null) {
                        return;
                    }
                    if (pause.isPositive() && wakes.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)
                            || !pause.isPositive()) {
                        wakes.drainPermits();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                over = true;
            }
        }

        @Override
        public void wake() {
            wakes.release();
        }

        @Override
        public void stop() {
            stopped = true;
            wakes.release();
        }

        @Override
        public boolean isOver() {
            return over;
        }
    }

    /** Runs on whichever shared thread is free, never twice at once. */
    private final class Shared implements Loop {
        private final String name;
        private final Step step;
        private boolean running;
        private boolean again;
        private boolean stopped;
        private long pauses;

        Shared(String name, Step step) {
            this.name = name;
            this.step = step;
        }

        @Override
        public synchronized void wake() {
            again = true;
            if (!running && !stopped && !shared.isShutdown()) {
                running = true;
                shared.execute(this::run);
            }
        }

        private void run() {
            synchronized (this) {
                again = false;
            }
            Duration pause = stopped() ? null : named(name, step);
            synchronized (this) {
                running = false;
                pauses++;
                if (pause == null || stopped || shared.isShutdown()) {
                    stopped = true;
                    return;
                }
                if (again || pause.isZero()) {
                    wake();
                } else {
                    long mine = pauses;
                    shared.schedule(() -> endPause(mine), pause.toNanos(), TimeUnit.NANOSECONDS);
                }
            }
        }

        private synchronized void endPause(long which) {
            if (which == pauses) {
                wake();
            }
        }

        private synchronized boolean stopped() {
            return stopped;
        }

        @Override
        public synchronized void stop() {
            stopped = true;
        }

        @Override
        public synchronized boolean isOver() {
            return stopped && !running;
        }
    }
}
