package dev.sluice.worker.lane;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Counts the messages of one partition that one side of a comparison received. Two tallies that began behind the same
 * sequence and are marked at the same sequence have equal counts there, unless one side missed a message. Holds numbers, no
 * messages. Any thread may call.
 */
public final class Tally {
    private final long start;
    private long last;
    private long messages;
    private long sum;
    private long mark;
    private @Nullable Count atMark;

    /**
     * Messages counted so far.
     *
     * @param sum of their sequences: equal numbers of different messages differ in it
     */
    public record Count(long messages, long sum) {
        public static final Count NONE = new Count(0, 0);

        public Count minus(Count earlier) {
            return new Count(messages - earlier.messages, sum - earlier.sum);
        }
    }

    /** @param start messages at or below this sequence are not counted */
    public Tally(long start) {
        this.start = start;
        this.last = start;
        this.mark = start;
        this.atMark = Count.NONE;
    }

    /** Counts a message; a repeat is ignored. */
    public synchronized void count(long sequence) {
        if (sequence <= last) {
            return;
        }
        if (atMark == null && sequence > mark) {
            atMark = now();
        }
        last = sequence;
        messages++;
        sum += sequence;
    }

    private Count now() {
        return new Count(messages, sum);
    }

    public long start() {
        return start;
    }

    /** The highest sequence counted so far. */
    public synchronized long last() {
        return last;
    }

    /** Remembers the count of all messages up to this sequence. False when a later message is counted already. */
    public synchronized boolean mark(long sequence) {
        if (last > sequence) {
            return false;
        }
        mark = sequence;
        atMark = last == sequence ? now() : null;
        return true;
    }

    /** The count at the mark; empty while messages up to it may still come. */
    public synchronized Optional<Count> atMark() {
        if (atMark == null && last >= mark) {
            atMark = now();
        }
        return Optional.ofNullable(atMark);
    }

    /** The stream has no message of the partition between the last counted one and the mark. */
    public synchronized void settle() {
        if (atMark == null) {
            atMark = now();
        }
    }
}
