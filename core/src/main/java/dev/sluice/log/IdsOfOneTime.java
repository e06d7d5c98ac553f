package dev.sluice.log;

import java.util.Arrays;

/**
 * The hashes of the events of one cluster time, by which repeats are recognised. Mostly there is one; a transaction brings
 * thousands.
 *
 * <p>Bounded: it remembers at least the last {@value #REMEMBERED} and at most twice as many, in 32 MiB. So of a transaction
 * with more changes than that, a replay from its beginning (which only a changed filter causes) stores the forgotten ones
 * again: repeats for consumers, never a loss.
 */
public final class IdsOfOneTime {
    static final int REMEMBERED = 1 << 20;
    private static final int SEARCHED = 16;

    private final int most;
    private long[] few = new long[2];
    private int count;
    private LongHashes young = LongHashes.NONE;
    private LongHashes old = LongHashes.NONE;

    public IdsOfOneTime() {
        this(REMEMBERED);
    }

    IdsOfOneTime(int most) {
        this.most = most;
    }

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
        if (young.size() >= most) {
            old = young;
            young = LongHashes.NONE;
        }
        young = young.with(hash);
        return true;
    }

    public boolean contains(long hash) {
        for (int k = 0; k < count; k++) {
            if (few[k] == hash) {
                return true;
            }
        }
        return young.contains(hash) || old.contains(hash);
    }

    /** How many it remembers. */
    int size() {
        return count + young.size() + old.size();
    }

    void clear() {
        count = 0;
        young = LongHashes.NONE;
        old = LongHashes.NONE;
    }
}
