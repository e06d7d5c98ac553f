package dev.sluice.subscribe;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The last changes of the registry, in order. One writer at a time, and no reader meanwhile. */
final class ChangeRing {
    private final @Nullable RegistryChange[] changes;
    private long added;
    /** Changes at or below this revision are not here. */
    private long floor;

    /** @param floor the revision before the first change */
    ChangeRing(int capacity, long floor) {
        this.changes = new @Nullable RegistryChange[capacity];
        this.floor = floor;
    }

    void add(RegistryChange change) {
        int slot = slot(added);
        RegistryChange dropped = changes[slot];
        if (dropped != null) {
            floor = dropped.revision();
        }
        changes[slot] = change;
        added++;
    }

    /** Returns the first changes above a revision; null when some of them are no longer here. */
    @Nullable
    List<RegistryChange> after(long revision, int most) {
        if (revision < floor) {
            return null;
        }
        List<RegistryChange> found = new ArrayList<>();
        for (long k = firstAbove(revision); k < added && found.size() < most; k++) {
            RegistryChange change = changes[slot(k)];
            if (change != null) {
                found.add(change);
            }
        }
        return found;
    }

    private long firstAbove(long revision) {
        long low = Math.max(0, added - changes.length);
        long high = added;
        while (low < high) {
            long middle = (low + high) >>> 1;
            RegistryChange change = changes[slot(middle)];
            if (change != null && change.revision() <= revision) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int slot(long number) {
        return (int) (number % changes.length);
    }
}
