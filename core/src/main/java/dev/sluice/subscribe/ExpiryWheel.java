package dev.sluice.subscribe;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds what is due without looking at the rest: a list per second, of those to be looked at then. A renewal only moves
 * the deadline; who turns out not to be due when the wheel comes to it takes a new seat, so each is looked at about once
 * per TTL.
 */
final class ExpiryWheel {
    /** More seconds than the longest TTL has, so that a list never holds what is due a turn later. */
    private static final int SLOTS = 4096;

    private final @Nullable Held[] slots = new @Nullable Held[SLOTS];
    private int done;

    void add(Held held) {
        held.seat = Math.max(held.deadline, done + 1);
        int slot = held.seat % SLOTS;
        Held first = slots[slot];
        held.beforeInWheel = null;
        held.afterInWheel = first;
        if (first != null) {
            first.beforeInWheel = held;
        }
        slots[slot] = held;
    }

    void remove(Held held) {
        Held before = held.beforeInWheel;
        Held after = held.afterInWheel;
        if (before == null) {
            slots[held.seat % SLOTS] = after;
        } else {
            before.afterInWheel = after;
        }
        if (after != null) {
            after.beforeInWheel = before;
        }
        held.beforeInWheel = null;
        held.afterInWheel = null;
    }

    /**
     * Turns up to that second, or until so many have ended.
     *
     * @param ends given one that is due and in no list any more: whether it ends; else it has been added again
     */
    void turn(int now, int most, Predicate<Held> ends) {
        int found = 0;
        while (done < now) {
            int slot = (done + 1) % SLOTS;
            Held next;
            for (Held held = slots[slot]; held != null; held = next) {
                // Who is added again stands in front, also when the clock leapt and it comes into this very list.
                next = held.afterInWheel;
                remove(held);
                if (held.deadline > now) {
                    add(held);
                } else if (ends.test(held) && ++found == most) {
                    return;
                }
            }
            done++;
        }
    }
}
