package dev.sluice.match;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Values by a hash, in open addressing: eight bytes a slot and no object per entry, because there are millions. Several
 * values may share a hash, so whoever looks something up verifies it.
 *
 * <p>One writer at a time (the caller's lock), any number of readers, which never wait: within one generation of slots
 * a hash is written before its value and never changes, what is removed leaves a mark, and growing publishes a copy. A
 * reader sees an entry that comes or goes meanwhile, or does not.
 */
final class ProbeTable<V> {
    private static final Object GONE = new Object();
    private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final int SMALLEST = 4;

    private volatile Slots slots = new Slots(SMALLEST);
    private int live;
    private int used;

    /** One generation. */
    static final class Slots {
        private final int[] keys;
        private final Object[] values;

        private Slots(int capacity) {
            keys = new int[capacity];
            values = new Object[capacity];
        }

        int capacity() {
            return values.length;
        }

        /** What is in that slot, or null. */
        @Nullable
        Object at(int slot) {
            Object value = VALUE.getAcquire(values, slot);
            return value == GONE ? null : value;
        }

        /** The first slot of that key, or -1. */
        int first(int key) {
            return probe(key, home(key));
        }

        /** The next slot of that key behind this one, or -1. */
        int next(int key, int slot) {
            return probe(key, behind(slot));
        }

        private int home(int key) {
            return (int) ((key * 0x9E3779B9L & 0xFFFF_FFFFL) * values.length >>> 32);
        }

        private int behind(int slot) {
            return slot + 1 == values.length ? 0 : slot + 1;
        }

        private int probe(int key, int slot) {
            while (true) {
                Object value = VALUE.getAcquire(values, slot);
                if (value == null) {
                    return -1;
                }
                if (keys[slot] == key && value != GONE) {
                    return slot;
                }
                slot = behind(slot);
            }
        }

        private boolean insert(int key, Object value) {
            int slot = home(key);
            while (values[slot] != null) {
                if (values[slot] == GONE && keys[slot] == key) {
                    VALUE.setRelease(values, slot, value);
                    return false;
                }
                slot = behind(slot);
            }
            keys[slot] = key;
            VALUE.setRelease(values, slot, value);
            return true;
        }
    }

    Slots slots() {
        return slots;
    }

    int size() {
        return live;
    }

    @SuppressWarnings("unchecked") // only the writer's values get in
    @Nullable
    V get(int key) {
        Slots now = slots;
        int slot = now.first(key);
        return slot < 0 ? null : (V) now.at(slot);
    }

    /** Adds the value beside whatever has the same key. */
    void add(int key, V value) {
        if (4 * (used + 1) > 3 * slots.capacity()) {
            rebuild(live + 1);
        }
        used += slots.insert(key, value) ? 1 : 0;
        live++;
    }

    /** Puts the value in the place of the one with that key, if there is one. */
    void set(int key, V value) {
        int slot = slots.first(key);
        if (slot < 0) {
            add(key, value);
        } else {
            VALUE.setRelease(slots.values, slot, value);
        }
    }

    /** The first value of that key that is meant, or null. */
    @SuppressWarnings("unchecked")
    @Nullable
    V find(int key, Predicate<? super V> meant) {
        int slot = slotOf(key, meant);
        return slot < 0 ? null : (V) slots.at(slot);
    }

    boolean replace(int key, Predicate<? super V> meant, V value) {
        int slot = slotOf(key, meant);
        if (slot >= 0) {
            VALUE.setRelease(slots.values, slot, value);
        }
        return slot >= 0;
    }

    boolean remove(int key, Predicate<? super V> meant) {
        int slot = slotOf(key, meant);
        if (slot < 0) {
            return false;
        }
        VALUE.setRelease(slots.values, slot, GONE);
        live--;
        if (slots.capacity() > 4 * SMALLEST && 8 * live < slots.capacity()) {
            rebuild(live);
        }
        return true;
    }

    @SuppressWarnings("unchecked")
    private int slotOf(int key, Predicate<? super V> meant) {
        Slots now = slots;
        int slot = now.first(key);
        while (slot >= 0) {
            Object value = now.at(slot);
            if (value != null && meant.test((V) value)) {
                return slot;
            }
            slot = now.next(key, slot);
        }
        return -1;
    }

    private void rebuild(int room) {
        Slots old = slots;
        Slots fresh = new Slots(Math.max(SMALLEST, (int) Math.min(Integer.MAX_VALUE - 8, 2L * room - room / 5)));
        for (int slot = 0; slot < old.capacity(); slot++) {
            Object value = old.at(slot);
            if (value != null) {
                fresh.insert(old.keys[slot], value);
            }
        }
        used = live;
        slots = fresh;
    }
}
