package dev.sluice.outbox.relay;

import dev.sluice.outbox.table.Backlog;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread of one partition: steps its relay until it is told to stop. It is never interrupted, H2 would not bear it. */
final class PartitionRunner {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionRunner.class);
    private static final Duration AFTER_A_BUG = Duration.ofSeconds(1);

    private final PartitionRelay relay;
    private final Semaphore wake = new Semaphore(0);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean stopping;

    private PartitionRunner(PartitionRelay relay) {
        this.relay = relay;
    }

    static PartitionRunner start(String name, PartitionRelay relay) {
        PartitionRunner runner = new PartitionRunner(relay);
        Thread.ofVirtual().name(name).start(runner::run);
        return runner;
    }

    private interface Step {
        Duration run() throws InterruptedException;
    }

    private void run() {
        try {
            while (!stopping) {
                pause(guarded(relay::step));
            }
            while (!relay.isSettled()) {
                pause(guarded(relay::settle));
            }
        } finally {
            relay.close();
            ended.countDown();
        }
    }

    /** Nothing ends the thread: the claim would stay, and nobody would send. */
    private Duration guarded(Step step) {
        try {
            return step.run();
        } catch (InterruptedException | RuntimeException | Error bug) {
            LOG.error("{} met a bug and goes on", Thread.currentThread().getName(), bug);
            relay.journal().bug(bug);
            return AFTER_A_BUG;
        }
    }

    private void pause(Duration pause) {
        try {
            if (pause.isPositive() && wake.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
                wake.drainPermits();
            }
        } catch (InterruptedException ofASink) {
            // We never are: it left its own behind.
            LockSupport.parkNanos(AFTER_A_BUG.toNanos());
        }
    }

    void wake() {
        if (wake.availablePermits() == 0) {
            wake.release();
        }
    }

    /** Ends after what is under way; whether it did within this time. */
    boolean stop(Duration patience) {
        stopping = true;
        wake();
        try {
            return ended.await(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Ends at once: nothing more is sent or written. */
    void abandon() {
        stopping = true;
        relay.abandon();
        wake();
    }

    void counted(Backlog backlog) {
        relay.counted(backlog);
    }

    PartitionJournal journal() {
        return relay.journal();
    }
}
