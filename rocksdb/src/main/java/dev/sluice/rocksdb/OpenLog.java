package dev.sluice.rocksdb;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.AppendDecision;
import dev.sluice.log.DamagedLogException;
import dev.sluice.log.EvictDecision;
import dev.sluice.log.LogBook;
import dev.sluice.log.LogEntry;
import dev.sluice.log.LogPoint;
import dev.sluice.log.LogUnavailableException;
import dev.sluice.log.NoSpaceException;
import dev.sluice.log.Segment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** One opened database with its two column families and the book that was read from it. */
record OpenLog(Path directory, RocksStore store, EventFamily events, MetaFamily meta, LogBook book) {
    static OpenLog open(Path directory, RocksSettings settings) {
        RocksStore store = new RocksStore(directory, settings);
        try {
            return read(directory, store, settings);
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    private static OpenLog read(Path directory, RocksStore store, RocksSettings settings) {
        EventFamily events = new EventFamily(directory, store);
        MetaFamily meta = new MetaFamily(store);
        MetaFamily.Found found = meta.read(directory);
        LogPoint last = events.last();
        if (found.format() == 0 && last == null) {
            begin(directory, store, meta);
            found = meta.read(directory);
        } else if (found.format() != MetaFamily.FORMAT) {
            throw new DamagedLogException(
                    "The event log in " + directory + " is of format " + found.format() + ", and this version knows "
                            + MetaFamily.FORMAT + " only: run the version that wrote it, or move the directory away.",
                    null);
        } else if (found.identity() == 0) {
            identify(directory, store, meta, found);
            found = meta.read(directory);
        }
        LogPoint head = last != null ? last : found.evictedThrough();
        requireSameEnd(directory, found.segments(), last);
        LogBook book = new LogBook(
                settings.segments(),
                events::idsOf,
                found.identity(),
                found.birth(),
                head,
                found.evictedThrough(),
                found.checkpoint(),
                found.segments());
        return new OpenLog(directory, store, events, meta, book);
    }

    private static void begin(Path directory, RocksStore store, MetaFamily meta) {
        try (WriteBatch batch = new WriteBatch()) {
            meta.putFormat(batch, System.currentTimeMillis(), LogBook.newBirth());
            store.write(batch);
        } catch (RocksDBException e) {
            throw RocksFaults.of(directory, e);
        }
    }

    /** Gives an identity to a log that version 0.1 wrote: its birth, or a new number when eviction deleted that. */
    private static void identify(Path directory, RocksStore store, MetaFamily meta, MetaFamily.Found found) {
        try (WriteBatch batch = new WriteBatch()) {
            meta.putIdentity(batch, found.birth() != 0 ? found.birth() : LogBook.newBirth());
            store.write(batch);
        } catch (RocksDBException e) {
            throw RocksFaults.of(directory, e);
        }
    }

    private static void requireSameEnd(Path directory, List<Segment> segments, @Nullable LogPoint last) {
        boolean same = last == null
                ? segments.isEmpty()
                : !segments.isEmpty()
                        && segments.getLast().last().equals(last.position().time());
        if (!same) {
            throw RocksFaults.damaged(directory, "its events do not end where it says they do", null);
        }
    }

    void fill(WriteBatch batch, AppendDecision decision) throws RocksDBException {
        for (LogEntry entry : decision.appended().entries()) {
            batch.put(entry.position().toKey(), entry.event().array());
        }
        for (Segment segment : decision.segments()) {
            meta.putSegment(batch, segment);
        }
        if (decision.starts()) {
            meta.putEvictedThrough(batch, decision.begin());
        }
        Checkpoint checkpoint = decision.checkpoint();
        if (checkpoint != null) {
            meta.putCheckpoint(batch, checkpoint);
        }
    }

    void fill(WriteBatch batch, EvictDecision decision) throws RocksDBException {
        batch.deleteRange(store.events(), decision.before().position().toKey(), endOf(decision));
        for (Segment segment : decision.segments()) {
            meta.deleteSegment(batch, segment);
        }
        meta.putEvictedThrough(batch, decision.reached());
        meta.deleteBirth(batch);
    }

    /** Just behind the last key that goes. */
    static byte[] endOf(EvictDecision decision) {
        return decision.reached().position().next().toKey();
    }

    void requireRoomToReopen() {
        try {
            long needed = RoomToReopen.needed(directory);
            if (needed > 0) {
                throw new NoSpaceException(
                        "The disk of " + directory + " is full: free at least " + needed + " bytes.", null);
            }
        } catch (IOException e) {
            throw new LogUnavailableException("Cannot look into " + directory + ": see that the disk works.", e);
        }
    }
}
