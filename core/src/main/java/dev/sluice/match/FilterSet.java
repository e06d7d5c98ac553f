package dev.sluice.match;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Which filters an event has matched already, by identity; empty again at no cost that depends on earlier events. */
final class FilterSet {
    private static final int FEW = 16;

    private @Nullable SharedFilter[] few = new @Nullable SharedFilter[FEW];
    private @Nullable SharedFilter @Nullable [] table;
    private int size;

    boolean contains(SharedFilter filter) {
        @Nullable SharedFilter[] slots = table;
        if (slots != null) {
            return slots[slot(slots, filter)] != null;
        }
        for (int k = 0; k < size; k++) {
            if (few[k] == filter) {
                return true;
            }
        }
        return false;
    }

    /** Of one that is not in it yet. */
    void add(SharedFilter filter) {
        if (size < FEW) {
            few[size] = filter;
        } else {
            addToTable(filter);
        }
        size++;
    }

    private void addToTable(SharedFilter filter) {
        @Nullable SharedFilter[] slots = table;
        if (slots == null || 2 * size >= slots.length) {
            @Nullable SharedFilter[] old = slots == null ? few : slots;
            slots = new @Nullable SharedFilter[4 * Math.max(size, FEW)];
            for (SharedFilter each : old) {
                if (each != null) {
                    slots[slot(slots, each)] = each;
                }
            }
            table = slots;
        }
        slots[slot(slots, filter)] = filter;
    }

    /** Where it is, or where it would go. */
    private static int slot(@Nullable SharedFilter[] slots, SharedFilter filter) {
        int slot = Math.floorMod(System.identityHashCode(filter) * 0x9E3779B9, slots.length);
        while (slots[slot] != null && slots[slot] != filter) {
            slot = slot + 1 == slots.length ? 0 : slot + 1;
        }
        return slot;
    }

    void clear() {
        Arrays.fill(few, 0, Math.min(size, FEW), null);
        table = null;
        size = 0;
    }
}
