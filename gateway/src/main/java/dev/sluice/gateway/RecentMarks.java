package dev.sluice.gateway;

import java.util.Arrays;

/**
 * The last so many marks, about nine bytes each; the oldest leave first. Most marks that are asked for are new, so a bit per
 * mark says that without a look at all of them. For one thread at a time.
 */
final class RecentMarks {
    private static final int FIRST_SIZE = 16;
    private static final int BITS_PER_MARK = 8;

    private final int window;
    private long[] recent = {};
    /** A clear bit: no mark that falls on it is known. A set one may be of a mark that has left since the last wrap. */
    private long[] bits = {};

    private int next;
    private int known;

    RecentMarks(int window) {
        this.window = window;
    }

    void add(long mark) {
        if (window == 0) {
            return;
        }
        if (next == window) {
            next = 0;
            setBits();
        } else if (next == recent.length) {
            recent = Arrays.copyOf(recent, Math.min(window, Math.max(FIRST_SIZE, 2 * next)));
            bits = new long[Math.max(1, Integer.highestOneBit(recent.length) * BITS_PER_MARK / Long.SIZE)];
            setBits();
        }
        recent[next++] = mark;
        known = Math.max(known, next);
        setBit(mark);
    }

    private void setBits() {
        Arrays.fill(bits, 0);
        for (int k = 0; k < known; k++) {
            setBit(recent[k]);
        }
    }

    private void setBit(long mark) {
        bits[word(mark)] |= 1L << mark;
    }

    /** The lowest six bits of a mark are its place in the word. */
    private int word(long mark) {
        return (int) (mark >>> 6) & (bits.length - 1);
    }

    boolean isEmpty() {
        return known == 0;
    }

    boolean contains(long mark) {
        return known > 0 && ((bits[word(mark)] >>> mark) & 1) == 1 && isAmongKnown(mark);
    }

    private boolean isAmongKnown(long mark) {
        for (int k = 0; k < known; k++) {
            if (recent[k] == mark) {
                return true;
            }
        }
        return false;
    }

    void clear() {
        next = 0;
        known = 0;
        Arrays.fill(bits, 0);
    }
}
