package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.Fnv1a64;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.jspecify.annotations.Nullable;

/**
 * A change source in memory, for tests and demonstrations: a history that can be written, cut off at its old end, and
 * made to fail. Its clock is its own: each {@link #commit} is one cluster time.
 */
public final class MemoryChangeSource implements ChangeSource {
    private record Entry(long seq, EventRecord event) {}

    private static final int BATCH = 100;

    private final Duration patience;
    private final List<Entry> history = new ArrayList<>();
    private final Deque<SourceFailure> failures = new ArrayDeque<>();
    private final List<StartPoint> opened = new ArrayList<>();
    private long clock = 1000L << 32;
    private long seq;
    private long lostThrough;
    private ClusterTime oldest = new ClusterTime(clock);
    private @Nullable ClusterTime silentCloseAt;
    private int batch = BATCH;
    private Predicate<String> watched = collection -> true;
    private long filter = Checkpoint.UNKNOWN_FILTER;
    private Duration waiting = Duration.ZERO;

    /** Answers at once, also when there is nothing. */
    public MemoryChangeSource() {
        this(Duration.ZERO);
    }

    /** @param patience how long a read waits for something to come */
    public MemoryChangeSource(Duration patience) {
        this.patience = patience;
    }

    /** Commits these documents in one transaction: one cluster time for all. */
    public synchronized ClusterTime commit(String collection, String... ids) {
        ClusterTime time = tick();
        for (String id : ids) {
            add(Operation.INSERT, time, collection, id);
        }
        return time;
    }

    /** Shows only now what has an older time: no source may do this, and capture must not be silent about one that does. */
    public synchronized void commitLate(ClusterTime time, String collection, String id) {
        tick();
        add(Operation.INSERT, time, collection, id);
    }

    /** A control event, such as an invalidate. */
    public synchronized ClusterTime control(Operation operation, String collection) {
        ClusterTime time = tick();
        add(operation, time, collection, null);
        return time;
    }

    /** Time passes, and something happens that the filter drops: positions move, nothing comes. */
    public synchronized void otherWrites() {
        tick();
        seq++;
    }

    private ClusterTime tick() {
        return new ClusterTime(++clock);
    }

    private void add(Operation operation, ClusterTime time, String collection, @Nullable String id) {
        seq++;
        notifyAll();
        RawBson token = token(seq);
        EventRecordEncoder encoder = new EventRecordEncoder()
                .id(time, Fnv1a64.hash(token.array(), token.offset(), token.length()))
                .operation(operation)
                .collection(collection)
                .timestamp(time.toEpochMillis());
        if (id != null) {
            encoder.documentId(new DocumentId(DocumentId.Kind.STRING, id));
        }
        history.add(new Entry(seq, encoder.encode()));
    }

    /** Forgets everything up to now, as an oplog that rolled over. */
    public synchronized void rollOver() {
        lostThrough = seq;
        oldest = tick();
        history.clear();
    }

    /** The next calls fail like this, one after the other. */
    public synchronized void failNext(SourceFailure... next) {
        failures.addAll(List.of(next));
    }

    /** The next read ends the stream without a word. */
    public synchronized void closeSilently() {
        silentCloseAt = new ClusterTime(clock);
    }

    public synchronized void batchSize(int size) {
        batch = size;
    }

    /** The filter from now on: only these collections. */
    public synchronized void watch(String... collections) {
        watched = List.of(collections)::contains;
        filter = Fnv1a64.hash(String.join(",", collections));
    }

    @Override
    public synchronized long filter() {
        return filter;
    }

    /** As when one of several streams still waits for its reply while reads of the merged stream bring nothing. */
    public synchronized void waiting(Duration since) {
        waiting = since;
    }

    @Override
    public synchronized Duration waiting() {
        return waiting;
    }

    /** Every start point a stream was opened with, also in vain. */
    public synchronized List<StartPoint> opened() {
        return List.copyOf(opened);
    }

    /** All events that were ever committed and are not forgotten. */
    public synchronized List<EventRecord> history() {
        return history.stream().map(Entry::event).toList();
    }

    @Override
    public synchronized ChangeCursor open(StartPoint from) throws SourceException {
        opened.add(from);
        throwNext();
        long behind = switch (from) {
            case StartPoint.Now now -> seq;
            case StartPoint.After after -> seqOf(after.checkpoint().token());
            case StartPoint.At at -> before(at.time());
        };
        if (behind < lostThrough) {
            throw new SourceException(new SourceFailure.HistoryLost("behind " + lostThrough));
        }
        ClusterTime start = switch (from) {
            case StartPoint.Now now -> new ClusterTime(clock);
            case StartPoint.After after -> after.checkpoint().time();
            case StartPoint.At at -> at.time();
        };
        return new Cursor(behind, start, from instanceof StartPoint.At at ? at.time() : ClusterTime.ZERO);
    }

    private long before(ClusterTime time) {
        if (time.compareTo(oldest) < 0) {
            return -1;
        }
        Optional<Entry> first = history.stream()
                .filter(entry -> entry.event().clusterTime().compareTo(time) >= 0)
                .findFirst();
        return first.map(entry -> entry.seq() - 1).orElse(seq);
    }

    @Override
    public synchronized ClusterTime oldest() throws SourceException {
        throwNext();
        return oldest;
    }

    private boolean passes(EventRecord event, ClusterTime notBefore) {
        return event.clusterTime().compareTo(notBefore) >= 0 && isWatched(event);
    }

    private boolean isWatched(EventRecord event) {
        return !event.operation().isData() || watched.test(event.collection());
    }

    private void throwNext() throws SourceException {
        SourceFailure failure = failures.poll();
        if (failure != null) {
            throw new SourceException(failure);
        }
    }

    private void awaitChange() throws SourceException {
        try {
            if (!patience.isZero()) {
                wait(patience.toMillis());
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SourceException(new SourceFailure.Retryable("interrupted"), stopped);
        }
    }

    private static RawBson token(long seq) {
        return RawBson.of(new BsonDocument("seq", new BsonInt64(seq)));
    }

    private static long seqOf(RawBson token) {
        return token.view().getInt64("seq").getValue();
    }

    @Override
    public void close() {}

    private final class Cursor implements ChangeCursor {
        private long position;
        private ClusterTime safe;
        private final ClusterTime notBefore;
        private boolean opening = true;

        Cursor(long position, ClusterTime safe, ClusterTime notBefore) {
            this.position = position;
            this.safe = safe;
            this.notBefore = notBefore;
        }

        @Override
        public SourceBatch next() throws SourceException {
            synchronized (MemoryChangeSource.this) {
                throwNext();
                if (silentCloseAt != null) {
                    return endSilently(silentCloseAt);
                }
                if (opening) {
                    opening = false;
                    return batch(List.of(), position);
                }
                if (position == seq) {
                    awaitChange();
                }
                return read();
            }
        }

        private SourceBatch endSilently(ClusterTime at) {
            silentCloseAt = null;
            tick();
            return new SourceBatch(List.of(), null, at.toEpochMillis(), new SourceBatch.Ending.SilentlyClosed(at));
        }

        private SourceBatch read() throws SourceException {
            if (position < lostThrough) {
                throw new SourceException(new SourceFailure.PositionLost("overtaken"));
            }
            List<EventRecord> events = new ArrayList<>();
            for (Entry entry : history) {
                if (entry.seq() > position && events.size() < batch && passes(entry.event(), notBefore)) {
                    events.add(entry.event());
                    position = entry.seq();
                    safe = entry.event().clusterTime();
                    if (entry.event().operation() == Operation.INVALIDATE) {
                        return batch(events, position);
                    }
                }
            }
            if (events.isEmpty()) {
                position = seq;
                safe = new ClusterTime(clock);
            }
            return batch(events, position);
        }

        private SourceBatch batch(List<EventRecord> events, long behind) {
            boolean invalidated = !events.isEmpty() && events.getLast().operation() == Operation.INVALIDATE;
            return new SourceBatch(
                    events,
                    new Checkpoint(token(behind), safe),
                    safe.toEpochMillis(),
                    invalidated ? SourceBatch.INVALIDATED : SourceBatch.OPEN);
        }

        @Override
        public void close() {}
    }
}
