package dev.sluice.route;

import dev.sluice.deliver.EventOutcome;
import dev.sluice.model.Priority;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One batch, from when it leaves the queue until nothing of it is left. It goes out again and again, in its order, wholly or
 * in parts: halves while something in it is refused or keeps failing though the gateway answers, and partition by partition
 * when one of them may have a new owner. Guarded by its lane.
 */
final class Shipment {
    private List<Owed> left;
    private Map<Priority, BitSet> slots;
    private int take;

    /** So many of the first ones contain what is to be found; 0: nobody is suspected. */
    private int suspects;

    private boolean apart;
    private int failures;
    private int proven;
    long dueAt;
    boolean flying;

    Shipment(List<Owed> owed) {
        this.left = new ArrayList<>(owed);
        this.take = owed.size();
        this.slots = slots(owed);
    }

    /** What the next attempt carries. */
    List<Owed> part() {
        int size = Math.min(take, left.size());
        if (apart) {
            int partition = left.getFirst().sender.partition();
            int same = 0;
            while (same < size && left.get(same).sender.partition() == partition) {
                same++;
            }
            size = same;
        }
        return List.copyOf(left.subList(0, size));
    }

    boolean isEmpty() {
        return left.isEmpty();
    }

    /** What nobody counts on any more. */
    List<Owed> unwanted() {
        return left.stream().filter(each -> !each.isWanted()).toList();
    }

    void leaveOut(List<Owed> unwanted) {
        if (!unwanted.isEmpty()) {
            left = new ArrayList<>(left);
            left.removeAll(new HashSet<>(unwanted));
            goOn(0);
        }
    }

    /** The gateway has the part, or it is out of the way for good. */
    void done(int part) {
        left = new ArrayList<>(left.subList(part, left.size()));
        failures = 0;
        proven = 0;
        goOn(part);
    }

    private void goOn(int part) {
        suspects = Math.max(0, Math.min(suspects - part, left.size()));
        take = suspects > 0 ? Math.max(1, suspects / 2) : left.size();
    }

    /**
     * The gateway spoke of each: those that it wants later stay. They get a new number, because it does not have them and
     * may have higher ones; and so does what follows them, or it would seem to be a repeat.
     */
    void later(List<Owed> part, List<EventOutcome> outcomes) {
        List<Owed> stay = new ArrayList<>();
        for (int k = 0; k < part.size(); k++) {
            if (outcomes.get(k) instanceof EventOutcome.RetryLater) {
                part.get(k).seq = 0;
                stay.add(part.get(k));
            }
        }
        failures = stay.size() == part.size() ? failures + 1 : 1;
        proven = 0;
        Set<Integer> renumbered = new HashSet<>();
        stay.forEach(each -> renumbered.add(each.slot));
        for (Owed each : left.subList(part.size(), left.size())) {
            each.seq = renumbered.contains(each.slot) ? 0 : each.seq;
            stay.add(each);
        }
        left = stay;
        suspects = 0;
        take = left.size();
    }

    void failed() {
        failures++;
    }

    /** Handling the answer failed: what is done is left out, the rest goes out again. */
    void failedToSettle() {
        left = new ArrayList<>(left.stream().filter(each -> !each.done).toList());
        failures++;
        proven = 0;
        suspects = 0;
        take = left.size();
    }

    /** The gateway has registered again: how often the batch failed before says nothing. */
    void forgetFailures() {
        failures = 0;
        proven = 0;
    }

    int failures() {
        return failures;
    }

    /** Whether it is time to ask if the gateway answers at all. */
    boolean isSuspicious(int maxAttempts) {
        return failures >= maxAttempts || suspects > 0;
    }

    /** The part failed and the gateway answers: looks into one half, or counts against the only one. */
    int provenGuilty(int part) {
        if (part > 1) {
            halve(part);
            return 0;
        }
        suspects = 1;
        return ++proven;
    }

    void halve(int part) {
        suspects = part;
        take = Math.max(1, part / 2);
        proven = 0;
    }

    /** The gateway does not answer: nothing was learnt about the events. */
    void notProven() {
        proven = 0;
        suspects = 0;
        take = left.size();
    }

    boolean isOfOnePartition(List<Owed> part) {
        int partition = part.getFirst().sender.partition();
        return part.stream().allMatch(each -> each.sender.partition() == partition);
    }

    void splitByPartition() {
        left.sort(Comparator.comparingInt(each -> each.sender.partition()));
        apart = true;
        suspects = 0;
        take = left.size();
    }

    /** The slots that nothing of what is left needs any more, by class; each is named once. */
    Map<Priority, BitSet> freeSlots() {
        Map<Priority, BitSet> free = slots;
        slots = slots(left);
        slots.forEach((priority, needed) -> free.getOrDefault(priority, needed).andNot((BitSet) needed.clone()));
        return free;
    }

    private static Map<Priority, BitSet> slots(List<Owed> owed) {
        Map<Priority, BitSet> slots = new EnumMap<>(Priority.class);
        for (Owed each : owed) {
            ClassQueue.occupy(slots.computeIfAbsent(each.priority, none -> new BitSet()), each);
        }
        return slots;
    }

    List<Owed> left() {
        return left;
    }
}
