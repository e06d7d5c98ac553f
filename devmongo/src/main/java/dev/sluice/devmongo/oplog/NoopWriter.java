package dev.sluice.devmongo.oplog;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.bson.BsonTimestamp;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes a no-op whenever a whole period passed without a write, so that quiet streams move on. */
public final class NoopWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NoopWriter.class);
    private static final Duration LAST_STEP = Duration.ofSeconds(5);

    private final Oplog oplog;
    private final Duration period;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;
    private BsonTimestamp lastSeen;

    private NoopWriter(Oplog oplog, Duration period) {
        this.oplog = oplog;
        this.period = period;
        this.lastSeen = new BsonTimestamp(0, 0);
        this.thread = Thread.ofVirtual().name("devmongo-noop").unstarted(this::run);
    }

    public static NoopWriter start(Oplog oplog, Duration period) {
        NoopWriter writer = new NoopWriter(oplog, period);
        writer.thread.start();
        return writer;
    }

    private void run() {
        try {
            while (!stopped.await(period.toMillis(), TimeUnit.MILLISECONDS)) {
                step();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void step() {
        try {
            lastSeen = oplog.newest().equals(lastSeen) ? oplog.noop() : oplog.newest();
        } catch (RuntimeException failed) {
            LOG.warn("devmongo wrote no no-op and tries again in {}: {}", period, failed.getMessage());
        }
    }

    @Override
    public void close() {
        stopped.countDown();
        try {
            thread.join(LAST_STEP);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
