package dev.sluice.subscribe;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records by id, in open addressing without an object per entry. One writer at a time. A reader beside the writer gets
 * something, at once and without an exception, and must find out for itself whether the set changed meanwhile.
 */
final class RecordSet {
    private static final int SMALLEST = 4;

    private @Nullable SubscriptionRecord[] slots = new @Nullable SubscriptionRecord[SMALLEST];
    private int size;

    int size() {
        return size;
    }

    @Nullable
    SubscriptionRecord find(String id) {
        @Nullable SubscriptionRecord[] now = slots;
        int mask = now.length - 1;
        int slot = seat(id, mask);
        for (int looked = 0; looked <= mask; looked++) {
            SubscriptionRecord record = now[slot];
            if (record == null || record.id().equals(id)) {
                return record;
            }
            slot = slot + 1 & mask;
        }
        return null;
    }

    /** Puts the record in the place of the one with its id. */
    void put(SubscriptionRecord record) {
        if (5 * (size + 1) > 3 * slots.length) {
            grow();
        }
        size += insert(slots, record) ? 1 : 0;
    }

    private void grow() {
        @Nullable SubscriptionRecord[] larger = new @Nullable SubscriptionRecord[2 * slots.length];
        forEach(record -> insert(larger, record));
        slots = larger;
    }

    private static boolean insert(@Nullable SubscriptionRecord[] slots, SubscriptionRecord record) {
        int mask = slots.length - 1;
        int slot = seat(record.id(), mask);
        SubscriptionRecord there = slots[slot];
        while (there != null && !there.id().equals(record.id())) {
            slot = slot + 1 & mask;
            there = slots[slot];
        }
        slots[slot] = record;
        return there == null;
    }

    void remove(String id) {
        int mask = slots.length - 1;
        int slot = seat(id, mask);
        SubscriptionRecord there = slots[slot];
        while (there != null && !there.id().equals(id)) {
            slot = slot + 1 & mask;
            there = slots[slot];
        }
        if (there != null) {
            size--;
            close(slot, mask);
        }
    }

    /** Moves what stands behind a freed slot into it, where a search would otherwise stop too early. */
    private void close(int freed, int mask) {
        int gap = freed;
        slots[gap] = null;
        int slot = gap + 1 & mask;
        SubscriptionRecord next = slots[slot];
        while (next != null) {
            int seat = seat(next.id(), mask);
            if ((slot - seat & mask) >= (slot - gap & mask)) {
                slots[gap] = next;
                slots[slot] = null;
                gap = slot;
            }
            slot = slot + 1 & mask;
            next = slots[slot];
        }
    }

    void forEach(Consumer<SubscriptionRecord> each) {
        for (SubscriptionRecord record : slots) {
            if (record != null) {
                each.accept(record);
            }
        }
    }

    private static int seat(String id, int mask) {
        return (int) (RecordTable.spread(id) >>> 20) & mask;
    }
}
