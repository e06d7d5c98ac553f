package dev.sluice.lane;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What one priority class of one gateway is owed, in order. While a batch of a {@link Flow} is under way, later deliveries of
 * that flow wait in its line. Guarded by its lane.
 *
 * <p>A representative stands for other subscriptions, too. It goes out when nothing else of the class is under way, and
 * until it is done nothing else does; what follows it may share its batch, which keeps its order.
 */
final class ClassQueue {
    private final ArrayDeque<PendingDelivery> fresh = new ArrayDeque<>();
    private final Set<Flow> lines = new LinkedHashSet<>();
    private final ArrayDeque<Flow> freed = new ArrayDeque<>();
    private int busy;
    private boolean representativeUnderWay;
    private long takes;
    private int ready;

    /** How many could go out now, at most. */
    int ready() {
        return ready;
    }

    /** Since when the first of them has been waiting; meaningless when there is none. */
    long readySince() {
        long since = fresh.isEmpty() ? Long.MAX_VALUE : fresh.getFirst().since;
        if (!freed.isEmpty()) {
            ArrayDeque<PendingDelivery> first = freed.getFirst().line;
            since = first == null || first.isEmpty() ? since : Math.min(since, first.getFirst().since);
        }
        return since;
    }

    void add(PendingDelivery delivery) {
        fresh.addLast(delivery);
        ready++;
    }

    /** Takes what may go out next, in order; its flows are busy until they are released. */
    void take(List<PendingDelivery> into, int most, long mostBytes) {
        if (representativeUnderWay) {
            return;
        }
        takes++;
        Filling filling = new Filling(into, most, mostBytes);
        while (filling.hasRoom() && !freed.isEmpty()) {
            takeLine(freed.removeFirst(), filling);
        }
        while (filling.hasRoom() && !fresh.isEmpty()) {
            if (fresh.getFirst().representative && !isAlone(filling)) {
                return;
            }
            PendingDelivery next = fresh.removeFirst();
            ready--;
            takeOrQueue(next, filling);
        }
    }

    private void takeLine(Flow flow, Filling filling) {
        ArrayDeque<PendingDelivery> line = flow.line;
        if (line == null) {
            return;
        }
        boolean holdsUpOthers = false;
        while (filling.hasRoom() && !line.isEmpty()) {
            ready--;
            holdsUpOthers |= hasItsTurn(line.getFirst());
            filling.add(line.removeFirst());
        }
        ready -= line.size();
        occupy(flow, filling, holdsUpOthers);
        if (line.isEmpty()) {
            flow.line = null;
            flow.lineIn = null;
            lines.remove(flow);
        }
    }

    private void takeOrQueue(PendingDelivery next, Filling filling) {
        Flow flow = next.flow;
        boolean underWayElsewhere = flow.busyIn != null && (flow.busyIn != this || flow.takenIn != takes);
        if (flow.line != null && flow.lineIn != null) {
            flow.line.addLast(next);
            flow.lineIn.ready += flow.busyIn == null ? 1 : 0;
        } else if (underWayElsewhere) {
            flow.line = new ArrayDeque<>();
            flow.line.addLast(next);
            flow.lineIn = this;
            lines.add(flow);
        } else {
            if (flow.busyIn == null) {
                occupy(flow, filling, hasItsTurn(next));
            }
            representativeUnderWay |= next.representative;
            filling.add(next);
        }
    }

    private void occupy(Flow flow, Filling filling, boolean holdsUpOthers) {
        flow.busyIn = this;
        flow.takenIn = takes;
        flow.holdsUpOthers = holdsUpOthers;
        busy += holdsUpOthers ? 1 : 0;
        filling.flows += holdsUpOthers ? 1 : 0;
    }

    /** Whether nothing is under way or waits for its turn but what is being taken now. */
    private boolean isAlone(Filling filling) {
        return busy == filling.flows && lines.stream().noneMatch(ClassQueue::holdsUpOthers);
    }

    /** Whether what waits behind a batch of a flow goes before what stands for many: not that of a stuck subscription alone. */
    private static boolean holdsUpOthers(Flow flow) {
        return flow.busyIn == null
                || flow.holdsUpOthers
                || flow.line != null && flow.line.stream().anyMatch(ClassQueue::hasItsTurn);
    }

    /** Whether what stands for many must not overtake it: not so a stuck subscription's events, a letter, or a RESYNC that was asked for. */
    private static boolean hasItsTurn(PendingDelivery delivery) {
        return !delivery.apart && delivery.given != null;
    }

    /** Nothing of this flow is under way any more. */
    void release(Flow flow) {
        flow.busyIn = null;
        busy -= flow.holdsUpOthers ? 1 : 0;
        if (flow.line != null && flow.lineIn != null) {
            flow.lineIn.freed.addLast(flow);
            flow.lineIn.ready += flow.line.size();
        }
    }

    /** The representative that was under way is done. */
    void releaseRepresentative() {
        representativeUnderWay = false;
    }

    /** Takes out those that wait and are meant. */
    List<PendingDelivery> remove(Predicate<PendingDelivery> which) {
        List<PendingDelivery> removed = new ArrayList<>();
        ready -= removeFrom(fresh, which, removed);
        Iterator<Flow> all = lines.iterator();
        while (all.hasNext()) {
            Flow flow = all.next();
            ArrayDeque<PendingDelivery> line = flow.line;
            if (line != null) {
                int gone = removeFrom(line, which, removed);
                ready -= flow.busyIn == null ? gone : 0;
                if (line.isEmpty()) {
                    flow.line = null;
                    flow.lineIn = null;
                    freed.remove(flow);
                    all.remove();
                }
            }
        }
        return removed;
    }

    private static int removeFrom(
            Collection<PendingDelivery> line, Predicate<PendingDelivery> which, List<PendingDelivery> removed) {
        int before = removed.size();
        line.removeIf(each -> which.test(each) && removed.add(each));
        return removed.size() - before;
    }

    /** What is not under way. */
    Stream<PendingDelivery> waiting() {
        return Stream.concat(
                fresh.stream(), lines.stream().flatMap(flow -> flow.line == null ? Stream.of() : flow.line.stream()));
    }

    /** A batch that is being filled. */
    private static final class Filling {
        private final List<PendingDelivery> batch;
        private final int most;
        private final long mostBytes;
        private long bytes;
        private int flows;

        Filling(List<PendingDelivery> batch, int most, long mostBytes) {
            this.batch = batch;
            this.most = most;
            this.mostBytes = mostBytes;
            this.bytes = batch.stream().mapToLong(each -> each.bytes).sum();
        }

        boolean hasRoom() {
            return batch.size() < most && bytes < mostBytes;
        }

        void add(PendingDelivery delivery) {
            batch.add(delivery);
            bytes += delivery.bytes;
        }
    }
}
