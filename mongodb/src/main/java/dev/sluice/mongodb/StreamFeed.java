package dev.sluice.mongodb;

import dev.sluice.capture.SourceException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads one of several streams on a thread of its own, so that none waits for the answer of another. It asks for the next
 * batch when the last was taken, and so holds one at most. The bell is shared by all feeds of a cursor and rung when
 * something came.
 */
final class StreamFeed {
    private final OneOfSeveral stream;
    private final LongSupplier taken;
    private final Object bell;
    private final Thread thread;
    private @Nullable StreamBatch ready;
    private @Nullable Throwable failure;
    private boolean closed;

    private StreamFeed(String name, OneOfSeveral stream, LongSupplier taken, Object bell) {
        this.stream = stream;
        this.taken = taken;
        this.bell = bell;
        this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
    }

    /** @param taken how many batches of all feeds were taken so far */
    static StreamFeed start(String name, OneOfSeveral stream, LongSupplier taken, Object bell) {
        StreamFeed feed = new StreamFeed(name, stream, taken, bell);
        feed.thread.start();
        return feed;
    }

    private void run() {
        try {
            boolean more = true;
            while (more && isWanted()) {
                more = put(stream.nextOfSeveral(taken.getAsLong()));
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (Throwable failed) {
            // Errors too: a stream that ends without a word would hold up all the others.
            synchronized (bell) {
                failure = failed;
                bell.notifyAll();
            }
        } finally {
            stream.close();
        }
    }

    /** Waits until the last batch was taken; false when nobody wants more. */
    private boolean isWanted() throws InterruptedException {
        synchronized (bell) {
            while (ready != null && !closed) {
                bell.wait();
            }
            return !closed;
        }
    }

    private boolean put(StreamBatch batch) {
        synchronized (bell) {
            ready = batch;
            bell.notifyAll();
            return batch.batch().isOpen();
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
        if (failure != null) {
            throw new IllegalStateException("one of several streams failed: " + failure, failure);
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

    /** Gives up the answer that is on its way. */
    void interrupt() {
        thread.interrupt();
    }

    /** Whether it ended within this time. */
    boolean join(long nanos) {
        try {
            return thread.join(Duration.ofNanos(Math.max(nanos, 1)));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
