package dev.sluice.rocksdb;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.LogPoint;
import dev.sluice.log.LogPosition;
import dev.sluice.log.Segment;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;

/**
 * What the log knows about itself, in a column family of its own: format, identity, beginning, checkpoint, segments. Written in the
 * same batch as the events it speaks of.
 */
final class MetaFamily {
    static final int FORMAT = 1;

    private static final String FORMAT_KEY = "format";
    private static final String CREATED_KEY = "created";
    private static final String BIRTH_KEY = "birth";
    private static final String IDENTITY_KEY = "identity";
    private static final String EVICTED_KEY = "evicted";
    private static final String CHECKPOINT_KEY = "checkpoint";
    private static final String SEGMENT_KEY = "segment/";

    /** As it was found; format 0 means that nothing was ever written. */
    static final class Found {
        private int format;
        private long birth;
        private long identity;
        private @Nullable LogPoint evictedThrough;
        private @Nullable Checkpoint checkpoint;
        private final List<Segment> segments = new ArrayList<>();

        int format() {
            return format;
        }

        /** 0 once something was evicted. */
        long birth() {
            return birth;
        }

        /** 0 in a log that version 0.1 wrote. */
        long identity() {
            return identity;
        }

        LogPoint evictedThrough() {
            return evictedThrough != null ? evictedThrough : LogPoint.unstarted(birth);
        }

        @Nullable
        Checkpoint checkpoint() {
            return checkpoint;
        }

        List<Segment> segments() {
            return segments;
        }
    }

    private final RocksStore store;

    MetaFamily(RocksStore store) {
        this.store = store;
    }

    Found read(Path directory) {
        Found found = new Found();
        try (RocksIterator iterator = store.iterate(store.meta())) {
            for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                take(found, iterator.key(), iterator.value());
            }
            iterator.status();
        } catch (RocksDBException e) {
            throw RocksFaults.of(directory, e);
        } catch (InvalidInputException | BufferUnderflowException e) {
            throw RocksFaults.damaged(directory, "what it says about itself cannot be read: " + e.getMessage(), e);
        }
        return found;
    }

    private static void take(Found found, byte[] key, byte[] value) {
        String name = new String(key, StandardCharsets.ISO_8859_1);
        ByteBuffer bytes = ByteBuffer.wrap(value);
        switch (name) {
            case FORMAT_KEY -> found.format = bytes.getInt();
            case CREATED_KEY -> {}
            case BIRTH_KEY -> found.birth = bytes.getLong();
            case IDENTITY_KEY -> found.identity = bytes.getLong();
            case EVICTED_KEY -> found.evictedThrough = point(bytes);
            case CHECKPOINT_KEY -> found.checkpoint = Checkpoint.decode(value);
            default -> {
                if (name.startsWith(SEGMENT_KEY)) {
                    found.segments.add(segment(ByteBuffer.wrap(key, SEGMENT_KEY.length(), Long.BYTES), bytes));
                }
            }
        }
    }

    private static LogPoint point(ByteBuffer bytes) {
        ClusterTime time = new ClusterTime(bytes.getLong());
        return new LogPoint(new LogPosition(time, bytes.getInt()), new EventId(time, bytes.getLong()));
    }

    private static Segment segment(ByteBuffer first, ByteBuffer bytes) {
        return new Segment(
                new ClusterTime(first.getLong()), new ClusterTime(bytes.getLong()), bytes.getLong(), bytes.getLong());
    }

    void putFormat(WriteBatch batch, long createdMillis, long birth) throws RocksDBException {
        put(batch, FORMAT_KEY, ByteBuffer.allocate(Integer.BYTES).putInt(FORMAT));
        put(batch, CREATED_KEY, ByteBuffer.allocate(Long.BYTES).putLong(createdMillis));
        put(batch, BIRTH_KEY, ByteBuffer.allocate(Long.BYTES).putLong(birth));
        putIdentity(batch, birth);
    }

    /** Written once in the life of a log. */
    void putIdentity(WriteBatch batch, long identity) throws RocksDBException {
        put(batch, IDENTITY_KEY, ByteBuffer.allocate(Long.BYTES).putLong(identity));
    }

    void deleteBirth(WriteBatch batch) throws RocksDBException {
        batch.delete(store.meta(), BIRTH_KEY.getBytes(StandardCharsets.US_ASCII));
    }

    void putEvictedThrough(WriteBatch batch, LogPoint point) throws RocksDBException {
        ByteBuffer bytes = ByteBuffer.allocate(LogPosition.KEY_BYTES + Long.BYTES);
        put(
                batch,
                EVICTED_KEY,
                bytes.put(point.position().toKey()).putLong(point.id().hash()));
    }

    void putCheckpoint(WriteBatch batch, Checkpoint checkpoint) throws RocksDBException {
        put(batch, CHECKPOINT_KEY, ByteBuffer.wrap(checkpoint.encode()));
    }

    void putSegment(WriteBatch batch, Segment segment) throws RocksDBException {
        ByteBuffer bytes = ByteBuffer.allocate(3 * Long.BYTES)
                .putLong(segment.last().value())
                .putLong(segment.events())
                .putLong(segment.bytes());
        batch.put(store.meta(), segmentKey(segment), bytes.array());
    }

    void deleteSegment(WriteBatch batch, Segment segment) throws RocksDBException {
        batch.delete(store.meta(), segmentKey(segment));
    }

    private static byte[] segmentKey(Segment segment) {
        return ByteBuffer.allocate(SEGMENT_KEY.length() + Long.BYTES)
                .put(SEGMENT_KEY.getBytes(StandardCharsets.US_ASCII))
                .putLong(segment.first().value())
                .array();
    }

    private void put(WriteBatch batch, String key, ByteBuffer value) throws RocksDBException {
        batch.put(store.meta(), key.getBytes(StandardCharsets.US_ASCII), value.array());
    }
}
