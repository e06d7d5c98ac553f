package dev.sluice.coordinate;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The real clockwork: the machine's monotonic clock and virtual threads. */
public final class VirtualThreads implements Clockwork {
    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public void start(String name, Runnable body) {
        Thread.ofVirtual().name(name).start(body);
    }

    @Override
    public Signal signal() {
        return new PermitSignal();
    }

    private static final class PermitSignal implements Signal {
        private final Semaphore raised = new Semaphore(0);

        @Override
        public void raise() {
            raised.release();
        }

        @Override
        public void await(Duration atMost) {
            try {
                if (raised.tryAcquire(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS)) {
                    raised.drainPermits();
                }
            } catch (InterruptedException e) {
                // Nobody interrupts a group's threads: they are asked to stop by state, and woken by a signal.
                Thread.currentThread().interrupt();
            }
        }
    }
}
