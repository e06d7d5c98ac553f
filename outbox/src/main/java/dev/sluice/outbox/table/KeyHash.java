package dev.sluice.outbox.table;

import dev.sluice.model.Fnv1a64;

/** Where a key belongs: {@code fnv1a64(key) mod total}, the hash taken as unsigned. */
public final class KeyHash {
    private KeyHash() {}

    public static int partition(String key, int total) {
        return total == 1 ? 0 : (int) Long.remainderUnsigned(Fnv1a64.hash(key), total);
    }
}
