package dev.sluice.log;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * The hashes of the events of one cluster time. Mostly there is one; a transaction brings thousands, which are then kept
 * as a set.
 */
public final class IdsOfOneTime {
    private static final int SEARCHED = 16;

    private long[] few = new long[2];
    private int count;
    private final Set<Long> many = new HashSet<>(0);

    /** False when it was there already. */
    public boolean add(long hash) {
        if (contains(hash)) {
            return false;
        }
        if (count < SEARCHED) {
            if (count == few.length) {
                few = Arrays.copyOf(few, 2 * count);
            }
            few[count++] = hash;
            return true;
        }
        return many.add(hash);
    }

    public boolean contains(long hash) {
        for (int k = 0; k < count; k++) {
            if (few[k] == hash) {
                return true;
            }
        }
        return !many.isEmpty() && many.contains(hash);
    }

    void clear() {
        count = 0;
        if (!many.isEmpty()) {
            many.clear();
        }
    }
}
