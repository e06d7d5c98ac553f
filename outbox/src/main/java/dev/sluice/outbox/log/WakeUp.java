package dev.sluice.outbox.log;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Something may have been written: ends the pause before the next look at the table. */
final class WakeUp {
    private final Semaphore raised = new Semaphore(0);
    private volatile boolean ended;

    void raise() {
        if (raised.availablePermits() == 0) {
            raised.release();
        }
    }

    /** From now on nothing pauses. */
    void end() {
        ended = true;
        raise();
    }

    void await(Duration pause) throws InterruptedException {
        if (!ended && pause.isPositive() && raised.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
            raised.drainPermits();
        }
    }
}
