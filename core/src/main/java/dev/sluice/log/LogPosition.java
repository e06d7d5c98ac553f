package dev.sluice.log;

import dev.sluice.model.ClusterTime;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Position;
import java.nio.ByteBuffer;

/**
 * A place in one backend's log: a cluster time, and the order of arrival within it, from 1. Ordinal 0 is the place just
 * before the first event of that time. Positions belong to one log: another Puller may count the events of one cluster
 * time differently, so what goes out to consumers is the event id.
 */
public record LogPosition(ClusterTime time, int ordinal) implements Comparable<LogPosition> {
    /** Length of {@link #toKey}. */
    public static final int KEY_BYTES = Long.BYTES + Integer.BYTES;

    /** Before everything. */
    public static final LogPosition START = new LogPosition(ClusterTime.ZERO, 0);

    public LogPosition {
        if (ordinal < 0) {
            throw new InvalidInputException("the ordinal of a log position is not negative: " + ordinal);
        }
    }

    /** The place that this position has in the log that counted its ordinal. Something can always follow it. */
    public static LogPosition of(Position position) {
        return new LogPosition(position.time(), Math.min(position.ordinal(), Integer.MAX_VALUE - 1));
    }

    public static LogPosition before(ClusterTime time) {
        return new LogPosition(time, 0);
    }

    /** The next place within the same cluster time. */
    public LogPosition next() {
        return new LogPosition(time, Math.incrementExact(ordinal));
    }

    /**
     * Twelve bytes whose order, byte by byte and unsigned, is the order of positions. As text, 10 would sort before 9
     * and the log would be read out of order.
     */
    public byte[] toKey() {
        return ByteBuffer.allocate(KEY_BYTES)
                .putLong(time.value())
                .putInt(ordinal)
                .array();
    }

    /** @throws InvalidInputException when this is not what {@link #toKey} writes */
    public static LogPosition ofKey(byte[] key) {
        if (key.length != KEY_BYTES) {
            throw new InvalidInputException("a log key has " + KEY_BYTES + " bytes, not " + key.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(key);
        return new LogPosition(new ClusterTime(buffer.getLong()), buffer.getInt());
    }

    @Override
    public int compareTo(LogPosition other) {
        int byTime = time.compareTo(other.time);
        return byTime != 0 ? byTime : Integer.compare(ordinal, other.ordinal);
    }

    @Override
    public String toString() {
        return time + "#" + ordinal;
    }
}
