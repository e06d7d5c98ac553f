package dev.sluice.rocksdb;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.AppendDecision;
import dev.sluice.log.Appended;
import dev.sluice.log.EventLog;
import dev.sluice.log.EventLogException;
import dev.sluice.log.EventRecord;
import dev.sluice.log.EvictDecision;
import dev.sluice.log.Eviction;
import dev.sluice.log.Located;
import dev.sluice.log.LogBook;
import dev.sluice.log.LogEntry;
import dev.sluice.log.LogPosition;
import dev.sluice.log.LogRead;
import dev.sluice.log.LogState;
import dev.sluice.log.LogUnavailableException;
import dev.sluice.log.Segment;
import dev.sluice.model.BackendName;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * The event log of one backend in its own directory. Events and checkpoint share one synced write batch.
 *
 * <p>RocksDB's native calls hold the thread they run on. Reading from a virtual thread is therefore done on two platform
 * threads of the log's own, and the caller parks; append and evict from platform threads, as {@link
 * dev.sluice.log.GroupCommit} does.
 *
 * <p>After a write that failed nobody knows what is on disk: the next append or eviction opens the database anew before
 * anything else, and with it reads what is really there. Until then readers go on with what they had.
 */
public final class RocksEventLog implements EventLog {
    private final Path directory;
    private final RocksSettings settings;
    private final ExecutorService readers;
    /** Held shared by whoever uses the database, exclusively by whoever closes it. */
    private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();

    private volatile @Nullable OpenLog open;
    private volatile LogBook book;
    private boolean doubtful;
    private boolean closed;

    /**
     * Opens the log of a backend, {@code path/backend}, or creates it.
     *
     * @throws EventLogException the directory is damaged, of an unknown format, in use or not accessible
     */
    public RocksEventLog(Path path, String backend, RocksSettings settings) {
        this.directory = path.resolve(BackendName.check(backend));
        this.settings = settings;
        OpenLog opened = OpenLog.open(directory, settings);
        this.open = opened;
        this.book = opened.book();
        this.readers = Executors.newFixedThreadPool(
                2,
                Thread.ofPlatform()
                        .name("log-read-" + backend + "-", 1)
                        .daemon()
                        .factory());
    }

    @Override
    public synchronized Appended append(List<EventRecord> records, @Nullable Checkpoint checkpoint) {
        OpenLog log = forWriting();
        AppendDecision decision = log.book().decideAppend(records, checkpoint);
        // Until the book has what the disk has: an Error in between leaves the two apart as well.
        doubtful = true;
        if (!decision.isEmpty()) {
            try (WriteBatch batch = new WriteBatch(bytesOf(decision.appended().entries()))) {
                log.fill(batch, decision);
                log.store().write(batch);
            } catch (RocksDBException e) {
                throw RocksFaults.of(directory, e);
            }
        }
        log.book().apply(decision);
        doubtful = false;
        return decision.appended();
    }

    private static int bytesOf(List<LogEntry> entries) {
        long bytes = 1024;
        for (LogEntry entry : entries) {
            bytes += entry.bytes() + 16;
        }
        return (int) Math.min(bytes, 1 << 30);
    }

    @Override
    public LogRead read(LogPosition after, int maxEvents, long maxBytes) {
        return reading(log -> log.events()
                .read(after, maxEvents, maxBytes, () -> log.book().state().evictedThrough()));
    }

    @Override
    public Located locate(EventId id) {
        return reading(log -> log.book().locate(id, log.events()::find));
    }

    @Override
    public LogState state() {
        return book.state();
    }

    @Override
    public List<Segment> segments() {
        return book.segments();
    }

    @Override
    public synchronized Eviction evict(ClusterTime through) {
        OpenLog log = forWriting();
        return log.book()
                .decideEvict(through, log.events()::lastOf)
                .map(decision -> evict(log, decision))
                .orElse(Eviction.NOTHING);
    }

    private Eviction evict(OpenLog log, EvictDecision decision) {
        doubtful = true;
        try (WriteBatch batch = new WriteBatch()) {
            log.fill(batch, decision);
            log.store().write(batch);
        } catch (RocksDBException e) {
            log.book().forget(decision);
            throw RocksFaults.of(directory, e);
        }
        Eviction eviction = log.book().apply(decision);
        doubtful = false;
        try {
            log.store().dropFiles(LogPosition.START.toKey(), OpenLog.endOf(decision));
        } catch (RocksDBException e) {
            throw RocksFaults.of(directory, e);
        }
        return eviction;
    }

    /** Reads every block on disk and compares its checksum. Takes as long as that takes. */
    public void verify() {
        reading(log -> {
            log.store().verify();
            return true;
        });
    }

    private OpenLog forWriting() {
        if (doubtful && !closed) {
            reopen();
        }
        return current();
    }

    private void reopen() {
        gate.writeLock().lock();
        try {
            OpenLog old = open;
            if (old != null) {
                old.requireRoomToReopen();
                old.store().close();
                open = null;
            }
            OpenLog fresh = OpenLog.open(directory, settings);
            open = fresh;
            book = fresh.book();
            doubtful = false;
        } finally {
            gate.writeLock().unlock();
        }
    }

    private OpenLog current() {
        OpenLog log = open;
        if (log == null) {
            throw new LogUnavailableException("The event log in " + directory + " is closed.", null);
        }
        return log;
    }

    private <T> T reading(Function<OpenLog, T> read) {
        return Thread.currentThread().isVirtual() ? OffThread.call(readers, () -> guarded(read)) : guarded(read);
    }

    private <T> T guarded(Function<OpenLog, T> read) {
        gate.readLock().lock();
        try {
            return read.apply(current());
        } finally {
            gate.readLock().unlock();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        gate.writeLock().lock();
        try {
            OpenLog log = open;
            open = null;
            if (log != null) {
                log.store().close();
            }
        } finally {
            gate.writeLock().unlock();
        }
        readers.shutdown();
    }
}
