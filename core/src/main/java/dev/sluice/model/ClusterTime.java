package dev.sluice.model;

import org.bson.BsonTimestamp;

/**
 * When a change was committed, by the source's own clock: seconds {@code t} and an increment {@code i} within that
 * second, both unsigned 32 bits. It orders changes of one backend. It does not identify them: all events of one
 * transaction share it.
 *
 * @param value {@code t} in the high, {@code i} in the low 32 bits; ordered as an unsigned number
 */
public record ClusterTime(long value) implements Comparable<ClusterTime> {
    public static final ClusterTime ZERO = new ClusterTime(0);

    public static ClusterTime of(long t, long i) {
        if (t >>> 32 != 0 || i >>> 32 != 0) {
            throw new InvalidInputException("cluster time " + t + "," + i + " is outside of unsigned 32 bits");
        }
        return new ClusterTime(t << 32 | i);
    }

    public static ClusterTime of(BsonTimestamp timestamp) {
        return new ClusterTime(timestamp.getValue());
    }

    public long t() {
        return value >>> 32;
    }

    public long i() {
        return value & 0xFFFF_FFFFL;
    }

    public long toEpochMillis() {
        return t() * 1000;
    }

    public BsonTimestamp toBson() {
        return new BsonTimestamp(value);
    }

    @Override
    public int compareTo(ClusterTime other) {
        return Long.compareUnsigned(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(t()) + '-' + i();
    }
}
