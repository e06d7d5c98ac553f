package dev.sluice.lane;

import dev.sluice.deliver.EventOutcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One batch, from when it leaves the queue until nothing of it is left. It goes out again and again, in its order, wholly or
 * in parts: halves while something in it is refused or keeps failing though the gateway answers, and partition by partition
 * when one of them may have a new owner. Guarded by its lane.
 */
final class Shipment {
    private List<PendingDelivery> left;
    private Set<Flow> flows;
    private Set<ClassQueue> representing = Set.of();
    private int take;

    /** So many of the first ones contain what is to be found; 0: nobody is suspected. */
    private int suspects;

    private boolean apart;
    private int failures;
    private int proven;
    long dueAt;
    boolean flying;

    Shipment(List<PendingDelivery> owed) {
        this.left = new ArrayList<>(owed);
        this.take = owed.size();
        this.flows = flows(owed);
        this.representing = representing(owed);
    }

    /** What the next attempt carries. */
    List<PendingDelivery> part() {
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
    List<PendingDelivery> unwanted() {
        return left.stream().filter(each -> !each.isWanted()).toList();
    }

    void leaveOut(List<PendingDelivery> unwanted) {
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
    void later(List<PendingDelivery> part, List<EventOutcome> outcomes) {
        List<PendingDelivery> stay = new ArrayList<>();
        for (int k = 0; k < part.size(); k++) {
            if (outcomes.get(k) instanceof EventOutcome.RetryLater) {
                part.get(k).seq = 0;
                stay.add(part.get(k));
            }
        }
        failures = stay.size() == part.size() ? failures + 1 : 1;
        proven = 0;
        Set<Flow> renumbered = flows(stay);
        for (PendingDelivery each : left.subList(part.size(), left.size())) {
            each.seq = renumbered.contains(each.flow) ? 0 : each.seq;
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

    boolean isOfOnePartition(List<PendingDelivery> part) {
        int partition = part.getFirst().sender.partition();
        return part.stream().allMatch(each -> each.sender.partition() == partition);
    }

    void splitByPartition() {
        left.sort(Comparator.comparingInt(each -> each.sender.partition()));
        apart = true;
        suspects = 0;
        take = left.size();
    }

    /** Frees the flows that nothing of what is left needs any more, each once. */
    void releaseFlows() {
        Set<Flow> needed = flows(left);
        Set<ClassQueue> stillRepresenting = representing(left);
        for (ClassQueue queue : representing) {
            if (!stillRepresenting.contains(queue)) {
                queue.releaseRepresentative();
            }
        }
        representing = stillRepresenting;
        for (Flow flow : flows) {
            if (!needed.contains(flow) && flow.busyIn != null) {
                flow.busyIn.release(flow);
            }
        }
        flows = needed;
    }

    private static Set<Flow> flows(List<PendingDelivery> deliveries) {
        Set<Flow> flows = new LinkedHashSet<>();
        deliveries.forEach(each -> flows.add(each.flow));
        return flows;
    }

    private static Set<ClassQueue> representing(List<PendingDelivery> deliveries) {
        Set<ClassQueue> queues = new LinkedHashSet<>();
        for (PendingDelivery each : deliveries) {
            if (each.representative && each.flow.busyIn != null) {
                queues.add(each.flow.busyIn);
            }
        }
        return queues;
    }

    boolean carries(Flow flow) {
        return flows.contains(flow);
    }

    List<PendingDelivery> left() {
        return left;
    }
}
