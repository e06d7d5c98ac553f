package dev.sluice.gateway;

import java.util.Arrays;

/** The last so many marks, eight bytes each; the oldest leave first. For one thread at a time. */
final class RecentMarks {
    private static final int FIRST_SIZE = 16;

    private final int window;
    private long[] recent = {};
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
        } else if (next == recent.length) {
            recent = Arrays.copyOf(recent, Math.min(window, Math.max(FIRST_SIZE, 2 * next)));
        }
        recent[next++] = mark;
        known = Math.max(known, next);
    }

    boolean contains(long mark) {
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
    }
}
