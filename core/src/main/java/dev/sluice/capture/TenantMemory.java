package dev.sluice.capture;

import dev.sluice.model.Fnv1a64;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tenants of the documents seen last, so that a delete, which carries no document, still has its tenant. Bounded
 * and forgetful by design: a slot holds one document, a later one takes its place, a restart forgets all; what is
 * forgotten yields an empty tenant, never a wrong one (keys are compared whole). Used by one thread.
 */
public final class TenantMemory {
    private final byte[] @Nullable [] ids;
    private final @Nullable String[] collections;
    private final @Nullable String[] tenants;
    private final int mask;

    /** @param slots how many documents to remember at most, rounded up to a power of two */
    public TenantMemory(int slots) {
        int size = Integer.highestOneBit(Math.max(2, slots) - 1) << 1;
        this.ids = new byte[size][];
        this.collections = new String[size];
        this.tenants = new String[size];
        this.mask = size - 1;
    }

    /** Remembers the tenant of a document; {@code array[from, to)} is its raw {@code _id}. */
    public void saw(String collection, byte[] array, int from, int to, String tenant) {
        int slot = slot(collection, array, from, to);
        if (!holds(slot, collection, array, from, to)) {
            ids[slot] = Arrays.copyOfRange(array, from, to);
            collections[slot] = collection;
        }
        tenants[slot] = tenant;
    }

    /** The tenant last seen with this document, or empty. */
    public String recall(String collection, byte[] array, int from, int to) {
        int slot = slot(collection, array, from, to);
        String tenant = tenants[slot];
        return tenant != null && holds(slot, collection, array, from, to) ? tenant : "";
    }

    /** The collection is gone, or another now: what was seen of its documents no longer counts. */
    public void forget(String collection) {
        for (int slot = 0; slot < tenants.length; slot++) {
            if (collection.equals(collections[slot])) {
                tenants[slot] = null;
            }
        }
    }

    /** All collections are gone. */
    public void forgetAll() {
        Arrays.fill(tenants, null);
    }

    private boolean holds(int slot, String collection, byte[] array, int from, int to) {
        byte[] id = ids[slot];
        return id != null && Arrays.equals(id, 0, id.length, array, from, to) && collection.equals(collections[slot]);
    }

    private int slot(String collection, byte[] array, int from, int to) {
        long hash = Fnv1a64.hash(array, from, to - from) ^ collection.hashCode() * 0x9E3779B97F4A7C15L;
        return (int) (hash ^ hash >>> 32) & mask;
    }
}
