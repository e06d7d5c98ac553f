package dev.sluice.stream;

import dev.sluice.log.EventRecord;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The number of the last event of each document in a window, exact and compact: keys lie one behind the other in one
 * array, the rest is integers, so that a million documents cost some tens of megabytes and no objects. A key is
 * collection, kind of {@code _id} and {@code _id}; the tenant is no part of it.
 */
final class DocumentTable {
    private static final int NONE = -1;

    /** Differs per table, so that nobody outside can choose ids that all fall into one slot. */
    private final long seed = ThreadLocalRandom.current().nextLong();

    private byte[] keys = new byte[1 << 14];
    private int used;
    private int[] slots = new int[1 << 9];
    private int[] offsets = new int[1 << 8];
    private int[] numbers = new int[1 << 8];
    private int count;

    DocumentTable() {
        Arrays.fill(slots, NONE);
    }

    /** Remembers the number for the event's document; returns what was there, or -1. */
    int put(EventRecord event, int number) {
        int end = appendKey(event);
        int slot = find(used, end);
        int entry = slots[slot];
        if (entry != NONE) {
            int before = numbers[entry];
            numbers[entry] = number;
            return before;
        }
        add(slot, end, number);
        return NONE;
    }

    /** Writes the key behind all others; it stays there only if it is new. */
    private int appendKey(EventRecord event) {
        int room = DocumentKey.length(event);
        if (used + room > keys.length) {
            keys = Arrays.copyOf(keys, Math.max(keys.length * 2, used + room));
        }
        return DocumentKey.copy(event, keys, used);
    }

    private int find(int from, int to) {
        int slot = slotOf(from, to);
        while (slots[slot] != NONE && !isKey(slots[slot], from, to)) {
            slot = slot + 1 & slots.length - 1;
        }
        return slot;
    }

    private boolean isKey(int entry, int from, int to) {
        int end = entry + 1 < count ? offsets[entry + 1] : used;
        return Arrays.equals(keys, offsets[entry], end, keys, from, to);
    }

    private int slotOf(int from, int to) {
        long hash = seed;
        for (int k = from; k < to; k++) {
            hash = (hash ^ keys[k]) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        return (int) (hash ^ hash >>> 32) & slots.length - 1;
    }

    private void add(int slot, int end, int number) {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, count * 2);
            numbers = Arrays.copyOf(numbers, count * 2);
        }
        offsets[count] = used;
        numbers[count] = number;
        slots[slot] = count++;
        used = end;
        if (count * 2 > slots.length) {
            spread();
        }
    }

    private void spread() {
        slots = new int[slots.length * 2];
        Arrays.fill(slots, NONE);
        for (int entry = 0; entry < count; entry++) {
            int to = entry + 1 < count ? offsets[entry + 1] : used;
            int slot = slotOf(offsets[entry], to);
            while (slots[slot] != NONE) {
                slot = slot + 1 & slots.length - 1;
            }
            slots[slot] = entry;
        }
    }

    int documents() {
        return count;
    }

    long bytes() {
        return keys.length + 4L * (slots.length + offsets.length + numbers.length);
    }
}
