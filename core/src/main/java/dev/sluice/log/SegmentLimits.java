package dev.sluice.log;

/**
 * When the next cluster time opens a new segment: the finer, the more exactly retention and size are kept, at some fifty
 * bytes of heap per segment.
 *
 * @param bytes the segment has at least this many
 * @param seconds the segment began at least this long before, by the source's clock
 */
public record SegmentLimits(long bytes, long seconds) {
    public static final SegmentLimits DEFAULT = new SegmentLimits(4L << 20, 60);

    public SegmentLimits {
        if (bytes < 1 || seconds < 1) {
            throw new IllegalArgumentException("A segment needs room: at least one byte and one second.");
        }
    }
}
