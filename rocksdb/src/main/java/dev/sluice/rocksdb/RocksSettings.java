package dev.sluice.rocksdb;

import dev.sluice.log.SegmentLimits;

/**
 * What may be chosen about a log on disk.
 *
 * @param writeBufferBytes what RocksDB gathers in memory before it writes a table file; up to three of them exist at once,
 *     outside of the heap
 * @param compress tables by LZ4: less disk and more CPU; the write-ahead log is never compressed
 * @param segments how finely the log is measured and evicted
 */
public record RocksSettings(long writeBufferBytes, boolean compress, SegmentLimits segments) {
    public static final RocksSettings DEFAULT = new RocksSettings(32L << 20, false, SegmentLimits.DEFAULT);

    public RocksSettings {
        if (writeBufferBytes < 64 << 10) {
            throw new IllegalArgumentException("A write buffer has at least 64 KiB.");
        }
    }

    public RocksSettings withSegments(SegmentLimits limits) {
        return new RocksSettings(writeBufferBytes, compress, limits);
    }
}
