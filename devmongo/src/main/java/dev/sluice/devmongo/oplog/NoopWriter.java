package dev.sluice.devmongo.oplog;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.bson.BsonTimestamp;

/** Writes a no-op whenever a whole period passed without a write, so that quiet streams move on. */
public final class NoopWriter implements AutoCloseable {
    private final Oplog oplog;
    private final Duration period;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private BsonTimestamp lastSeen;

    private NoopWriter(Oplog oplog, Duration period) {
        this.oplog = oplog;
        this.period = period;
        this.lastSeen = new BsonTimestamp(0, 0);
    }

    public static NoopWriter start(Oplog oplog, Duration period) {
        NoopWriter writer = new NoopWriter(oplog, period);
        Thread.ofVirtual().name("devmongo-noop").start(writer::run);
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
        lastSeen = oplog.newest().equals(lastSeen) ? oplog.noop() : oplog.newest();
    }

    @Override
    public void close() {
        stopped.countDown();
    }
}
