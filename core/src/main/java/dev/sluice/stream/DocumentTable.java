package dev.sluice.stream;

import dev.sluice.log.EventRecord;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The number of the last event of each document in a window, exact and compact: keys lie one behind the other in one
 * array, the rest is integers, so that a million documents cost some tens of megabytes and no objects. A key is
 * collection, kind of {@code _id} and {@code _id}; the tenant is no part of it.
 */
final class DocumentTable {
    private static final int NONE = -1;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Differs per table, so that nobody outside can choose ids that all fall into one slot. */
    private final long seed = ThreadLocalRandom.current().nextLong();

    private final DocumentKey key = new DocumentKey();
    private byte[] keys = new byte[1 << 14];
    private int used;
    private int[] slots = new int[1 << 9];
    private int[] offsets = new int[1 << 8];
    private int[] numbers = new int[1 << 8];
    private int[] hashes = new int[1 << 8];
    private int count;

    DocumentTable() {
        Arrays.fill(slots, NONE);
    }

    /** Remembers the number for the event's document; returns what was there, or -1. */
    int put(EventRecord event, int number) {
        int end = appendKey(event);
        int hash = hash(used, end);
        int slot = find(hash, end);
        int entry = slots[slot];
        if (entry != NONE) {
            int before = numbers[entry];
            numbers[entry] = number;
            return before;
        }
        add(slot, hash, end, number);
        return NONE;
    }

    /** Writes the key behind all others; it stays there only if it is new. */
    private int appendKey(EventRecord event) {
        key.read(event);
        int room = key.length();
        if (used + room > keys.length) {
            keys = Arrays.copyOf(keys, Math.max(keys.length * 2, used + room));
        }
        return key.copyTo(keys, used);
    }

    private int find(int hash, int end) {
        int slot = hash & slots.length - 1;
        while (slots[slot] != NONE && !isKey(slots[slot], hash, end)) {
            slot = slot + 1 & slots.length - 1;
        }
        return slot;
    }

    private boolean isKey(int entry, int hash, int end) {
        return hashes[entry] == hash && Arrays.equals(keys, offsets[entry], endOf(entry), keys, used, end);
    }

    private int endOf(int entry) {
        return entry + 1 < count ? offsets[entry + 1] : used;
    }

    private int hash(int from, int to) {
        long hash = seed;
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            hash = mix(hash ^ (long) LONG.get(keys, at));
        }
        for (; at < to; at++) {
            hash = mix(hash ^ keys[at]);
        }
        return (int) (hash ^ hash >>> 32);
    }

    private static long mix(long hash) {
        long mixed = hash * 0x9E3779B97F4A7C15L;
        return mixed ^ mixed >>> 29;
    }

    private void add(int slot, int hash, int end, int number) {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, count * 2);
            numbers = Arrays.copyOf(numbers, count * 2);
            hashes = Arrays.copyOf(hashes, count * 2);
        }
        offsets[count] = used;
        numbers[count] = number;
        hashes[count] = hash;
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
            int slot = hashes[entry] & slots.length - 1;
            while (slots[slot] != NONE) {
                slot = slot + 1 & slots.length - 1;
            }
            slots[slot] = entry;
        }
    }

    long bytes() {
        return keys.length + 4L * (slots.length + offsets.length + numbers.length + hashes.length);
    }
}
