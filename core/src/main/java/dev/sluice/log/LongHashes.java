package dev.sluice.log;

/**
 * A set of numbers that are hashes already, in one array with open addressing: 16 bytes each at most, where a HashSet takes
 * about 50.
 */
final class LongHashes {
    /** Holds nothing and is never changed. */
    static final LongHashes NONE = new LongHashes(0);

    private static final int FIRST_SLOTS = 64;

    private final long[] slots;
    private int size;
    private boolean hasZero;

    private LongHashes(int slots) {
        this.slots = new long[slots];
    }

    int size() {
        return size;
    }

    boolean contains(long hash) {
        if (hash == 0) {
            return hasZero;
        }
        return slots.length > 0 && slots[slotOf(hash)] == hash;
    }

    /** This set or a larger one that replaces it, with the hash, which must not be in it. */
    LongHashes with(long hash) {
        LongHashes roomy = 2 * (size + 1) <= slots.length ? this : grown();
        roomy.put(hash);
        return roomy;
    }

    private LongHashes grown() {
        LongHashes larger = new LongHashes(Math.max(FIRST_SLOTS, 2 * slots.length));
        for (long hash : slots) {
            if (hash != 0) {
                larger.put(hash);
            }
        }
        if (hasZero) {
            larger.put(0);
        }
        return larger;
    }

    private void put(long hash) {
        if (hash == 0) {
            hasZero = true;
        } else {
            slots[slotOf(hash)] = hash;
        }
        size++;
    }

    /** Where the hash is, or else the free slot where it belongs. */
    private int slotOf(long hash) {
        int mask = slots.length - 1;
        int slot = (int) (hash ^ hash >>> 32) & mask;
        while (slots[slot] != 0 && slots[slot] != hash) {
            slot = slot + 1 & mask;
        }
        return slot;
    }
}
