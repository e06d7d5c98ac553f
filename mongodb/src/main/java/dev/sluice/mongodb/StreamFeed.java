package dev.sluice.mongodb;

import dev.sluice.capture.SourceException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads one of several streams on a thread of its own, one batch ahead of whoever takes them, so that none waits for the
 * answer of another. The bell is shared by all feeds of a cursor and rung when something came.
 */
final class StreamFeed {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final MongoChangeCursor cursor;
    private final LongSupplier taken;
    private final Object bell;
    private final Thread thread;
    private @Nullable StreamBatch ready;
    private @Nullable Exception failure;
    private boolean closed;

    private StreamFeed(String name, MongoChangeCursor cursor, LongSupplier taken, Object bell) {
        this.cursor = cursor;
        this.taken = taken;
        this.bell = bell;
        this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
    }

    /** @param taken how many batches of all feeds were taken so far */
    static StreamFeed start(String name, MongoChangeCursor cursor, LongSupplier taken, Object bell) {
        StreamFeed feed = new StreamFeed(name, cursor, taken, bell);
        feed.thread.start();
        return feed;
    }

    private void run() {
        try {
            boolean more = true;
            while (more) {
                more = put(cursor.nextOfSeveral(taken.getAsLong()));
            }
        } catch (SourceException | RuntimeException failed) {
            synchronized (bell) {
                failure = failed;
                bell.notifyAll();
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } finally {
            cursor.close();
        }
    }

    private boolean put(StreamBatch batch) throws InterruptedException {
        synchronized (bell) {
            while (ready != null && !closed) {
                bell.wait();
            }
            ready = batch;
            bell.notifyAll();
            return !closed && batch.batch().isOpen();
        }
    }

    /** The batch that is ready, or null. Called by whoever holds the bell. */
    @Nullable
    StreamBatch poll() throws SourceException {
        StreamBatch batch = ready;
        if (batch != null) {
            ready = null;
            bell.notifyAll();
            return batch;
        }
        if (failure instanceof SourceException known) {
            throw known;
        }
        if (failure instanceof RuntimeException unknown) {
            throw unknown;
        }
        return null;
    }

    boolean isReady() {
        return ready != null || failure != null;
    }

    void askToStop() {
        synchronized (bell) {
            closed = true;
            bell.notifyAll();
        }
    }

    /** Waits for the answer that is on its way, not much longer than an answer takes. */
    void join() {
        try {
            if (!thread.join(PATIENCE)) {
                thread.interrupt();
                thread.join(PATIENCE);
            }
        } catch (InterruptedException stopped) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        }
    }
}
