package dev.sluice.server.puller;

import dev.sluice.log.Retention;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Steps one log's retention on a platform thread: evicting calls native code. */
final class RetentionThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.retention");

    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread;

    private RetentionThread(String backend, Retention retention, Duration interval) {
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("log-retention-" + backend)
                .start(() -> run(backend, retention, interval));
    }

    static RetentionThread start(String backend, Retention retention, Duration interval) {
        return new RetentionThread(backend, retention, interval);
    }

    private void run(String backend, Retention retention, Duration interval) {
        try {
            do {
                step(backend, retention);
            } while (!stop.await(interval.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static void step(String backend, Retention retention) {
        try {
            var earlyBefore = retention.evictedEarly();
            var evicted = retention.step(Instant.now());
            var early = retention.evictedEarly() - earlyBefore;
            if (evicted.events() > 0) {
                var line = early > 0 ? LOG.atWarn() : LOG.atInfo();
                line.addKeyValue("backend", backend)
                        .addKeyValue("events", evicted.events())
                        .addKeyValue("bytes", evicted.bytes())
                        .addKeyValue("beforeTheirAge", early)
                        .log("old events left the log");
            }
        } catch (RuntimeException failed) {
            LOG.atWarn()
                    .addKeyValue("backend", backend)
                    .addKeyValue("reason", failed.getMessage())
                    .log("old events could not be removed; trying again");
        }
    }

    @Override
    public void close() {
        stop.countDown();
        var interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
