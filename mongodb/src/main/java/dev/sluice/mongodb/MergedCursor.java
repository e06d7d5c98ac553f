package dev.sluice.mongodb;

import dev.sluice.capture.ChangeCursor;
import dev.sluice.capture.SourceBatch;
import dev.sluice.capture.SourceException;
import dev.sluice.capture.SourceFailure;
import dev.sluice.capture.StartPoint;
import dev.sluice.checkpoint.Checkpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Several change streams on one database, each with some of its collections, read at the same time and merged into one
 * strict order. Its position is one token, good for any number of streams. When one of them fails all are opened again.
 */
final class MergedCursor implements ChangeCursor {
    /** Opens one of the streams. */
    interface Opening {
        OneOfSeveral open(int stream, StartPoint from) throws SourceException;
    }

    /** Not much longer than an answer takes. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Object bell = new Object();
    private final long waitNanos;
    private final StreamMerge merge;
    private final List<StreamFeed> feeds = new ArrayList<>();
    private @Nullable SourceBatch opening;
    private @Nullable Checkpoint told;

    /** @param from not now: each stream would begin elsewhere */
    MergedCursor(int streams, Opening open, StartPoint from, Duration wait) throws SourceException {
        this.waitNanos = wait.toNanos();
        List<OneOfSeveral> cursors = new ArrayList<>();
        try {
            this.merge = new StreamMerge(streams, from instanceof StartPoint.After after ? after.checkpoint() : null);
            AtomicInteger knowing = new AtomicInteger(streams);
            for (int k = 0; k < streams; k++) {
                int number = k;
                OneOfSeveral cursor = new ReopenedStream(start -> open.open(number, start), from, knowing);
                cursors.add(cursor);
                merge.take(k, cursor.nextOfSeveral(0));
            }
        } catch (Throwable failed) {
            cursors.forEach(OneOfSeveral::close);
            throw failed;
        }
        this.opening = merge.leave();
        for (int k = 0; k < streams; k++) {
            feeds.add(StreamFeed.start("change-stream-" + (k + 1), cursors.get(k), merge::taken, bell));
        }
    }

    @Override
    public SourceBatch next() throws SourceException {
        SourceBatch first = opening;
        opening = null;
        if (first != null) {
            told = first.reached();
            return first;
        }
        long deadline = System.nanoTime() + waitNanos;
        SourceBatch batch = read();
        while (isNothing(batch) && await(deadline)) {
            batch = read();
        }
        told = batch.reached();
        return batch;
    }

    private SourceBatch read() throws SourceException {
        synchronized (bell) {
            for (int k = 0; k < feeds.size(); k++) {
                if (merge.wants(k)) {
                    StreamBatch batch = feeds.get(k).poll();
                    if (batch != null) {
                        merge.take(k, batch);
                    }
                }
            }
        }
        return merge.leave();
    }

    private boolean isNothing(SourceBatch batch) {
        return batch.events().isEmpty() && batch.isOpen() && Objects.equals(batch.reached(), told);
    }

    /** Whether something came before the time was over. */
    private boolean await(long deadline) throws SourceException {
        synchronized (bell) {
            while (!somethingCame()) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(bell, Math.max(left, 1_000_000));
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                    throw new SourceException(new SourceFailure.Retryable("interrupted"), stopped);
                }
            }
            return true;
        }
    }

    private boolean somethingCame() {
        for (int k = 0; k < feeds.size(); k++) {
            if (merge.wants(k) && feeds.get(k).isReady()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        feeds.forEach(StreamFeed::askToStop);
        if (!joined(System.nanoTime() + PATIENCE_NANOS)) {
            feeds.forEach(StreamFeed::interrupt);
            joined(System.nanoTime() + PATIENCE_NANOS);
        }
    }

    /** Whether all ended in time: one limit for all, however many hang. */
    private boolean joined(long deadline) {
        boolean all = true;
        for (StreamFeed feed : feeds) {
            all &= feed.join(deadline - System.nanoTime());
        }
        return all;
    }
}
