package dev.sluice.worker.migrate;

import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.consume.WorkerContext;
import dev.sluice.worker.lane.Lane;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/** Lag, redeliveries, stalled partitions and new problems of a worker, one window after the other. */
final class WindowHealth {
    /** With fewer deliveries in a window their ratio says nothing. */
    private static final long MIN_DELIVERIES = 100;

    /** Idle partitions whose last message is asked for in one window. */
    private static final int LOOKUPS_PER_WINDOW = 200;

    private final WorkerContext context;
    private final MigrationLimits limits;
    private final Set<String> problemsBefore;
    private Map<Lane, Position> positions = new HashMap<>();
    private long messages;
    private long redeliveries;
    private long lagBefore = Long.MAX_VALUE;
    private int turn;

    /**
     * Where a lane stood at the end of a window.
     *
     * @param last of the partition in the stream, asked for only when the lane had not moved; else 0
     */
    private record Position(long coverage, long last) {}

    /** @param problemsBefore keys of the problems that the worker had before the phase */
    WindowHealth(WorkerContext context, MigrationLimits limits, Set<String> problemsBefore) {
        this.context = context;
        this.limits = limits;
        this.problemsBefore = new HashSet<>(problemsBefore);
    }

    void begin() {
        WorkerCounters counters = context.counters();
        messages = counters.messages.sum();
        redeliveries = counters.redeliveries.sum();
    }

    /**
     * Judges the window that ends.
     *
     * @param lanes of the worker that can get messages
     * @param unfinished messages of the worker, as far as the server told
     */
    Verdict verdict(List<Lane> lanes, long unfinished) {
        return stalled(lanes).and(lag(unfinished)).and(redelivered()).and(problem());
    }

    /** A lag that goes back, such as after a pause, says nothing of the mode. */
    private Verdict lag(long lag) {
        boolean shrinks = lag < lagBefore;
        lagBefore = lag;
        String text = "lag is " + lag + " messages (max_lag " + limits.maxLag() + ")";
        return lag <= limits.maxLag() ? Verdict.GOOD : shrinks ? Verdict.neutral(text) : Verdict.bad(text);
    }

    private Verdict redelivered() {
        long came = context.counters().messages.sum() - messages;
        long again = context.counters().redeliveries.sum() - redeliveries;
        return came < MIN_DELIVERIES || again * 100 <= came * limits.maxRedelivered()
                ? Verdict.GOOD
                : Verdict.bad(again + " of " + came + " deliveries were redeliveries (max_redelivered "
                        + limits.maxRedelivered() + " %)");
    }

    private Verdict problem() {
        SortedMap<String, String> now = context.problems().ofConsumers();
        // A problem that went away and comes back is a new one.
        problemsBefore.retainAll(now.keySet());
        now.keySet().removeAll(problemsBefore);
        return now.isEmpty() ? Verdict.GOOD : Verdict.bad("new problem: " + now.get(now.firstKey()));
    }

    /**
     * A partition with an empty queue has not moved for a window although the stream had a message for it a window ago. The lag
     * does not show it: the server tells it only with a delivery. Of many idle partitions some are asked for in each window.
     */
    private Verdict stalled(List<Lane> lanes) {
        Map<Lane, Position> now = new HashMap<>();
        Verdict found = Verdict.GOOD;
        List<Lane> inTurn = new ArrayList<>(lanes);
        Collections.rotate(inTurn, -turn);
        turn += LOOKUPS_PER_WINDOW;
        int asked = 0;
        for (Lane lane : inTurn) {
            long coverage = lane.coverage();
            Position before = positions.get(lane);
            boolean waits = before != null && before.coverage() == coverage && lane.size() == 0 && !lane.isStopped();
            boolean stalls = false;
            if (before != null && waits && before.last() > coverage) {
                stalls = true;
                found = Verdict.bad("partition " + lane.partition().id() + " gets no messages: it stands at sequence "
                        + coverage + ", and the stream has " + before.last());
            }
            boolean asks = waits && (stalls || asked++ < LOOKUPS_PER_WINDOW);
            now.put(lane, new Position(coverage, asks ? lastOf(lane) : 0));
        }
        positions = now;
        return found;
    }

    private long lastOf(Lane lane) {
        return context.stream().lastOf(lane.partition().filter()).orElse(0);
    }
}
