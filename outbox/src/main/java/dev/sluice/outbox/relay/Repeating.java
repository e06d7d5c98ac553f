package dev.sluice.outbox.relay;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** A virtual thread that does a thing over and over, as often as the thing says, until it is closed. */
final class Repeating implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Repeating.class);
    private static final Duration AFTER_A_FAILURE = Duration.ofSeconds(1);

    /** One time. */
    interface Task {
        /** @return how long until the next */
        Duration run() throws InterruptedException;
    }

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final CountDownLatch closed = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private boolean failing;

    static Repeating start(String name, Task task) {
        return start(name, task, () -> {});
    }

    /** @param atTheEnd runs on the same thread after the last time */
    static Repeating start(String name, Task task, Runnable atTheEnd) {
        Repeating repeating = new Repeating();
        Thread.ofVirtual().name(name).start(() -> repeating.run(name, task, atTheEnd));
        return repeating;
    }

    private void run(String name, Task task, Runnable atTheEnd) {
        try {
            Duration pause = Duration.ZERO;
            while (!closed.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
                pause = once(name, task);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            atTheEnd.run();
            ended.countDown();
        }
    }

    private Duration once(String name, Task task) throws InterruptedException {
        try {
            Duration pause = task.run();
            if (failing) {
                failing = false;
                LOG.info("{} works again", name);
            }
            return pause;
        } catch (RuntimeException | Error failed) {
            // Once per trouble, not once per attempt.
            LOG.atLevel(failing ? Level.DEBUG : Level.WARN)
                    .log("{} failed and is tried again until it works: {}", name, failed.toString());
            failing = true;
            return AFTER_A_FAILURE;
        }
    }

    /** Waits a little for what is under way. */
    @Override
    public void close() {
        closed.countDown();
        try {
            if (!ended.await(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
                LOG.debug("a task still runs after {}", PATIENCE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
