package dev.sluice.rocksdb;

import dev.sluice.log.EventRecord;
import dev.sluice.log.IdsOfOneTime;
import dev.sluice.log.LogEntry;
import dev.sluice.log.LogPoint;
import dev.sluice.log.LogPosition;
import dev.sluice.log.LogRead;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** The events of one log by position, as they lie on disk. Every method opens its own iterator and closes it. */
final class EventFamily {
    /** What is read of a record to learn its hash: see {@link EventRecord#HEADER}. */
    private static final int HASH_OFFSET = 4;

    private final Path directory;
    private final RocksStore store;

    EventFamily(Path directory, RocksStore store) {
        this.directory = directory;
        this.store = store;
    }

    /**
     * @param evictedThrough asked once the iterator is open: an eviction that comes later cannot touch what it sees, one
     *     that came before is known by then
     */
    LogRead read(LogPosition after, int maxEvents, long maxBytes, Supplier<LogPoint> evictedThrough) {
        try (RocksIterator iterator = store.iterate(store.events())) {
            iterator.seek(after.next().toKey());
            LogPoint oldest = evictedThrough.get();
            if (after.compareTo(oldest.position()) < 0) {
                iterator.status();
                return new LogRead.Evicted(oldest.id());
            }
            List<LogEntry> found = new ArrayList<>();
            long bytes = 0;
            while (iterator.isValid() && found.size() < maxEvents) {
                LogEntry entry = entry(iterator);
                bytes += entry.bytes();
                if (bytes > maxBytes && !found.isEmpty()) {
                    break;
                }
                found.add(entry);
                iterator.next();
            }
            iterator.status();
            return new LogRead.Entries(
                    found, found.isEmpty() ? after : found.getLast().position());
        } catch (RocksDBException e) {
            throw RocksFaults.of(directory, e);
        }
    }

    private LogEntry entry(RocksIterator iterator) {
        LogPosition position = LogPosition.ofKey(iterator.key());
        try {
            EventRecord event = EventRecord.stored(iterator.value());
            if (event.clusterTime().equals(position.time())) {
                return new LogEntry(position, event);
            }
            throw new InvalidInputException("its time is " + event.clusterTime());
        } catch (InvalidInputException e) {
            throw RocksFaults.damaged(directory, "the event at " + position + ": " + e.getMessage(), e);
        }
    }

    /** The last event of all; null when there is none. */
    @Nullable
    LogPoint last() {
        try (RocksIterator iterator = store.iterate(store.events())) {
            iterator.seekToLast();
            LogPoint point = iterator.isValid() ? entry(iterator).point() : null;
            iterator.status();
            return point;
        } catch (RocksDBException e) {
            throw RocksFaults.of(directory, e);
        }
    }

    /** The last event of a cluster time that is there. */
    LogPoint lastOf(ClusterTime time) {
        LogPoint[] last = {LogPoint.before(time)};
        forEachOf(time, (position, hash) -> last[0] = new LogPoint(position, new EventId(time, hash)));
        return last[0];
    }

    IdsOfOneTime idsOf(ClusterTime time) {
        IdsOfOneTime ids = new IdsOfOneTime();
        forEachOf(time, (position, hash) -> ids.add(hash));
        return ids;
    }

    @Nullable
    LogPosition find(EventId id) {
        LogPosition[] found = {null};
        forEachOf(id.time(), (position, hash) -> {
            if (hash == id.hash()) {
                found[0] = position;
            }
        });
        return found[0];
    }

    private interface Visitor {
        void visit(LogPosition position, long hash);
    }

    private void forEachOf(ClusterTime time, Visitor visitor) {
        byte[] start = new byte[HASH_OFFSET + Long.BYTES];
        try (RocksIterator iterator = store.iterate(store.events())) {
            iterator.seek(LogPosition.before(time).toKey());
            while (iterator.isValid()) {
                LogPosition position = LogPosition.ofKey(iterator.key());
                if (!position.time().equals(time)) {
                    break;
                }
                iterator.value(start);
                visitor.visit(position, ByteBuffer.wrap(start).getLong(HASH_OFFSET));
                iterator.next();
            }
            iterator.status();
        } catch (RocksDBException e) {
            throw RocksFaults.of(directory, e);
        }
    }
}
