package dev.sluice.testkit.ledger;

import java.util.Arrays;

/** A set of versions as bits: millions of events are recorded per run, and most documents have few versions. */
final class VersionSet {

    private static final long[] EMPTY = {};

    private long[] words = EMPTY;

    /** False when it was in before. */
    boolean add(int version) {
        int word = version >>> 6;
        if (word >= words.length) {
            words = Arrays.copyOf(words, word == 0 ? 1 : Math.max(word + 1, words.length * 2));
        }
        long bit = 1L << version;
        boolean isNew = (words[word] & bit) == 0;
        words[word] |= bit;
        return isNew;
    }

    boolean contains(int version) {
        int word = version >>> 6;
        return word < words.length && (words[word] & (1L << version)) != 0;
    }

    /** The smallest member that is at least this; -1 if there is none. */
    int next(int from) {
        for (int word = from >>> 6; word < words.length; word++) {
            long bits = words[word] & (word == from >>> 6 ? -1L << from : -1L);
            if (bits != 0) {
                return (word << 6) + Long.numberOfTrailingZeros(bits);
            }
        }
        return -1;
    }

    /** The largest member; 0 when it is empty. */
    int newest() {
        for (int word = words.length - 1; word >= 0; word--) {
            if (words[word] != 0) {
                return (word << 6) + 63 - Long.numberOfLeadingZeros(words[word]);
            }
        }
        return 0;
    }
}
