package dev.sluice.devmongo.oplog;

import dev.sluice.devmongo.token.ResumeToken;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.jspecify.annotations.Nullable;

/**
 * The ordered, bounded history. Any thread may append or read; a reader sees only what is committed (normally
 * everything at once), and waits without spinning. When it is full the oldest entries leave, and whoever stood there has
 * lost history.
 */
public final class Oplog {
    /** How many preloaded events enter before others get a turn. */
    private static final int PRELOAD_BATCH = 1_000;

    private final ClusterClock clock;
    private final EventEncoder encoder;
    private final OplogLimit limit;
    private final ConcurrentSkipListMap<BsonTimestamp, OplogEntry> entries = new ConcurrentSkipListMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile BsonTimestamp newest;
    /** The newest write that a crash cannot take back; without a keeper every write counts as such. */
    private volatile BsonTimestamp durable;

    private @Nullable OplogKeeper keeper;
    private volatile @Nullable BsonTimestamp held;
    private volatile int inFlight;
    private volatile boolean rolledOver;
    private long bytes;

    /** An oplog that ends with the process. */
    public Oplog(OplogSettings settings) {
        this(settings, new BsonTimestamp(0, 0));
        noop();
    }

    private Oplog(OplogSettings settings, BsonTimestamp nothing) {
        this.clock = new ClusterClock(settings.clock());
        this.encoder = new EventEncoder(settings.wallTime(), settings.truncatedArrays());
        this.limit = settings.limit();
        this.newest = nothing;
        this.durable = nothing;
    }

    /** An oplog without an entry, for {@link #restore} and then {@link #resume}. */
    public static Oplog toBeResumed(OplogSettings settings) {
        return new Oplog(settings, new BsonTimestamp(0, 0));
    }

    /** Puts back an entry of an earlier process. */
    public void restore(OplogEntry entry) {
        place(entry);
        durable = newest;
    }

    /**
     * From now on {@code keeper} gets every entry. Times go on behind every time that the earlier process can have used. An oplog
     * that begins here has no history before: to a stream that resumes earlier, that of another server, it is lost.
     */
    public void resume(OplogKeeper keeps) {
        lock.lock();
        try {
            clock.continueAfter(newest);
            rolledOver |= entries.isEmpty();
            keeper = keeps;
        } finally {
            lock.unlock();
        }
        noop();
    }

    /** A write that no stream shows, but that lets high-water marks move on. */
    public BsonTimestamp noop() {
        BsonTimestamp time = append(List.of(), null, List.of());
        sync();
        return time;
    }

    /**
     * Appends one entry; several mutations of one transaction share its time. Where the oplog is kept, streams see it after {@link
     * #sync}.
     */
    public BsonTimestamp append(List<Mutation> mutations, @Nullable TransactionId transaction, List<Effect> effects) {
        lock.lock();
        try {
            BsonTimestamp time = clock.next();
            long wallMillis = clock.wallMillis();
            List<Change> changes = new ArrayList<>(mutations.size());
            for (Mutation mutation : mutations) {
                changes.add(encoder.encode(mutation, time, wallMillis, changes.size(), transaction));
            }
            add(new OplogEntry(time, List.copyOf(changes)), effects);
            changed.signalAll();
            return time;
        } finally {
            lock.unlock();
        }
    }

    /** Returns when everything appended so far is durable, and lets readers see it. Not to be called under a lock of the store. */
    public void sync() {
        OplogKeeper keeps = keeper;
        BsonTimestamp end = appended();
        if (keeps != null && durable.compareTo(end) < 0) {
            keeps.sync();
            synced(end);
        }
    }

    /** The newest write, with all before it handed to the keeper. */
    private BsonTimestamp appended() {
        lock.lock();
        try {
            return newest;
        } finally {
            lock.unlock();
        }
    }

    private void synced(BsonTimestamp end) {
        lock.lock();
        try {
            if (durable.compareTo(end) < 0) {
                durable = end;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Runs work that makes everything appended so far durable by itself. */
    public void whileNothingIsAppended(Runnable work) {
        lock.lock();
        try {
            work.run();
            synced(newest);
        } finally {
            lock.unlock();
        }
    }

    /** Appends an event made by hand; its {@code _id} and {@code clusterTime} are set here. */
    public BsonTimestamp appendEvent(BsonDocument event) {
        BsonTimestamp time;
        lock.lock();
        try {
            time = clock.next();
            add(new OplogEntry(time, List.of(encoder.encode(event, time))), List.of());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        sync();
        return time;
    }

    /** Appends {@code n} inserts of documents with the numbers from {@code first} as {@code _id}, much faster than one by one. */
    public void preload(String database, String collection, int first, int n, int documentBytes) {
        InsertTemplate template = new InsertTemplate(encoder, database, collection, documentBytes);
        for (int number = first; number < first + n; number += PRELOAD_BATCH) {
            preload(template, number, Math.min(first + n, number + PRELOAD_BATCH));
        }
    }

    private void preload(InsertTemplate template, int from, int end) {
        lock.lock();
        try {
            for (int number = from; number < end; number++) {
                BsonTimestamp time = clock.next();
                add(new OplogEntry(time, List.of(template.event(number, time, clock.wallMillis()))), List.of());
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        sync();
    }

    private void add(OplogEntry entry, List<Effect> effects) {
        place(entry);
        if (keeper == null) {
            durable = entry.time();
        } else {
            keeper.append(entry, effects);
        }
    }

    private void place(OplogEntry entry) {
        entries.put(entry.time(), entry);
        newest = entry.time();
        bytes += entry.bytes();
        while (limit.exceededBy(bytes, entries) && !entries.firstKey().equals(entry.time())) {
            removeOldest();
        }
    }

    private void removeOldest() {
        Map.Entry<BsonTimestamp, OplogEntry> oldest = entries.pollFirstEntry();
        if (oldest != null) {
            bytes -= oldest.getValue().bytes();
            rolledOver = true;
        }
    }

    /** Forgets everything but the newest entry, as if enough had been written to push it out. */
    public void rollOver() {
        lock.lock();
        try {
            evictBefore(append(List.of(), null, List.of()));
            if (keeper != null) {
                keeper.evicted(newest);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        sync();
    }

    /** Forgets what lies before {@code oldest}. */
    public void evictBefore(BsonTimestamp oldest) {
        while (!entries.isEmpty() && entries.firstKey().compareTo(oldest) < 0) {
            removeOldest();
        }
        rolledOver = true;
    }

    /** Whether entries have left it. */
    public boolean hasEvicted() {
        return rolledOver;
    }

    /** Every entry, committed or not, oldest first. */
    public Collection<OplogEntry> all() {
        return entries.values();
    }

    /** The encoded invalidate that follows {@code cause} on a stream which that change ends. */
    public byte[] invalidate(ResumeToken token) {
        return encoder.invalidate(token, clock.wallMillis());
    }

    /** Committed entries from {@code time} on, oldest first; {@code inclusive} says whether one at that time counts. */
    public Collection<OplogEntry> from(BsonTimestamp time, boolean inclusive) {
        BsonTimestamp end = committed();
        return time.compareTo(end) > 0
                ? List.of()
                : entries.subMap(time, inclusive, end, true).values();
    }

    /** Whether what lay at {@code time} has left the oplog. */
    public boolean lost(BsonTimestamp time) {
        return rolledOver && entries.firstKey().compareTo(time) > 0;
    }

    /** Newest write, committed or not. */
    public BsonTimestamp newest() {
        return newest;
    }

    /** The newest write that readers of change streams may see. */
    public BsonTimestamp committed() {
        BsonTimestamp limit = held;
        BsonTimestamp end = durable;
        return limit == null || limit.compareTo(end) > 0 ? end : limit;
    }

    /** What the server gossips: writes in flight have their times already. */
    public BsonTimestamp gossiped() {
        return new BsonTimestamp(newest.getValue() + inFlight);
    }

    /** From now on so many writes are always in flight. */
    public void keepInFlight(int writes) {
        inFlight = writes;
    }

    /** When the replica set was initiated: the first entry, as long as none has left; null afterwards. */
    public @Nullable BsonTimestamp beginning() {
        return rolledOver ? null : oldest();
    }

    public BsonTimestamp oldest() {
        return entries.firstKey();
    }

    /** Lets readers see no further than {@code time}, as on a replica set whose majority lags; null lets go. */
    public void holdCommitted(@Nullable BsonTimestamp time) {
        BsonTimestamp entry = time == null ? null : entries.floorKey(time);
        held = time == null || entry != null ? entry : new BsonTimestamp(0, 0);
        wakeReaders();
    }

    /** Makes waiting readers look again: something other than a write concerns them. */
    public void wakeReaders() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until something is committed after {@code seen}, {@code stop} holds, or the deadline passes. */
    public void awaitAfter(BsonTimestamp seen, long deadlineNanos, BooleanSupplier stop) throws InterruptedException {
        lock.lock();
        try {
            while (committed().compareTo(seen) <= 0 && !stop.getAsBoolean()) {
                if (changed.awaitNanos(deadlineNanos - System.nanoTime()) <= 0) {
                    return;
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
