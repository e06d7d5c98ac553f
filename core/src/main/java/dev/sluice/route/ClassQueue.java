package dev.sluice.route;

import dev.sluice.model.Fnv1a64;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What one priority class of one gateway is owed, in order. A slot stands for a subscription in a partition: while
 * something of it is under way, what follows waits, so that whatever happens to an attempt, nothing of a subscription
 * overtakes (and a gateway that drops what is not above the last {@code seq} drops only repeats). Guarded by its lane.
 *
 * <p>A representative stands for other subscriptions, too. It goes out when nothing else of the class is under way, and
 * until it is done nothing else does; what follows it may share its batch, which keeps its order.
 */
final class ClassQueue {
    private static final int SLOTS = 4096;

    /** Busy while a representative is under way. */
    private static final int BARRIER = SLOTS;

    private final ArrayDeque<Owed> fresh = new ArrayDeque<>();
    private final Map<Integer, ArrayDeque<Owed>> waiting = new HashMap<>();
    private final ArrayDeque<Integer> freed = new ArrayDeque<>();
    private final BitSet busy = new BitSet(SLOTS);
    private int ready;
    private int held;
    private long bytes;

    static int slot(String subscriptionId, int partition) {
        long hash = Fnv1a64.add(Fnv1a64.hash(subscriptionId), partition);
        return (int) ((hash ^ hash >>> 32) & SLOTS - 1);
    }

    /** Marks what nobody else may use while this one is under way. */
    static void occupy(BitSet slots, Owed owed) {
        slots.set(owed.slot);
        if (owed.representative) {
            slots.set(BARRIER);
        }
    }

    /** All that is held for this class, what is under way included. */
    int held() {
        return held;
    }

    long bytes() {
        return bytes;
    }

    /** How many could go out now, at most. */
    int ready() {
        return ready;
    }

    /** Since when the first of them has been waiting; meaningless when there is none. */
    long readySince() {
        long since = fresh.isEmpty() ? Long.MAX_VALUE : fresh.getFirst().since;
        if (!freed.isEmpty()) {
            ArrayDeque<Owed> first = waiting.get(freed.getFirst());
            since = first == null || first.isEmpty() ? since : Math.min(since, first.getFirst().since);
        }
        return since;
    }

    void add(Owed owed) {
        fresh.addLast(owed);
        ready++;
        held++;
        bytes += owed.bytes;
    }

    /** Takes what may go out next, in order, and keeps its slots until they are released. */
    void take(List<Owed> into, int most, long mostBytes) {
        if (busy.get(BARRIER)) {
            return;
        }
        BitSet mine = new BitSet();
        long taken = into.stream().mapToLong(each -> each.bytes).sum();
        while (into.size() < most && taken < mostBytes && !freed.isEmpty()) {
            int slot = freed.getFirst();
            ArrayDeque<Owed> line = waiting.getOrDefault(slot, new ArrayDeque<>());
            while (into.size() < most && taken < mostBytes && !line.isEmpty()) {
                Owed next = line.removeFirst();
                ready--;
                taken += next.bytes;
                into.add(next);
            }
            freed.removeFirst();
            ready -= line.size();
            mine.set(slot);
            if (line.isEmpty()) {
                waiting.remove(slot);
            }
        }
        busy.or(mine);
        while (into.size() < most && taken < mostBytes && !fresh.isEmpty()) {
            if (fresh.getFirst().representative && !isAlone(mine)) {
                return;
            }
            Owed next = fresh.removeFirst();
            ready--;
            ArrayDeque<Owed> line = waiting.get(next.slot);
            if (line != null) {
                line.addLast(next);
                ready += busy.get(next.slot) ? 0 : 1;
            } else if (busy.get(next.slot) && !mine.get(next.slot)) {
                waiting.computeIfAbsent(next.slot, slot -> new ArrayDeque<>()).addLast(next);
            } else {
                occupy(busy, next);
                occupy(mine, next);
                taken += next.bytes;
                into.add(next);
            }
        }
    }

    /** Whether nothing is under way or waits for its turn but what is being taken now. */
    private boolean isAlone(BitSet mine) {
        return waiting.isEmpty() && busy.cardinality() == mine.cardinality();
    }

    /** Nothing of these slots is under way any more. */
    void release(BitSet slots) {
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            busy.clear(slot);
            ArrayDeque<Owed> line = waiting.get(slot);
            if (line != null) {
                freed.addLast(slot);
                ready += line.size();
            }
        }
    }

    /** One that was taken is done. */
    void forget(Owed owed) {
        held--;
        bytes -= owed.bytes;
    }

    /** Takes out those that wait and are meant. */
    List<Owed> remove(Predicate<Owed> which) {
        List<Owed> removed = new ArrayList<>();
        ready -= removeFrom(fresh.iterator(), which, removed);
        Iterator<Map.Entry<Integer, ArrayDeque<Owed>>> lines =
                waiting.entrySet().iterator();
        while (lines.hasNext()) {
            Map.Entry<Integer, ArrayDeque<Owed>> line = lines.next();
            int gone = removeFrom(line.getValue().iterator(), which, removed);
            ready -= busy.get(line.getKey()) ? 0 : gone;
            if (line.getValue().isEmpty()) {
                freed.remove(line.getKey());
                lines.remove();
            }
        }
        removed.forEach(this::forget);
        return removed;
    }

    private static int removeFrom(Iterator<Owed> line, Predicate<Owed> which, List<Owed> removed) {
        int before = removed.size();
        while (line.hasNext()) {
            Owed next = line.next();
            if (which.test(next)) {
                line.remove();
                removed.add(next);
            }
        }
        return removed.size() - before;
    }

    /** What is not under way. */
    Stream<Owed> waiting() {
        return Stream.concat(fresh.stream(), waiting.values().stream().flatMap(ArrayDeque::stream));
    }
}
