package dev.sluice.worker.migrate;

import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.consume.WorkerContext;
import dev.sluice.worker.lane.Lane;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Lag, redeliveries, stalled partitions and new problems of a worker, one window after the other. */
final class WindowHealth {
    /** The warning about max_consumers is shown when a migration starts, and is no effect of it. */
    private static final Set<String> NOT_JUDGED = Set.of("stream", "subjects", ModeMigration.PROBLEM);

    /** With fewer deliveries in a window their ratio says nothing. */
    private static final long LEAST_DELIVERIES = 100;

    private final WorkerContext context;
    private final MigrationLimits limits;
    private final Set<String> problemsBefore;
    private Map<Lane, Position> positions = new HashMap<>();
    private long messages;
    private long redeliveries;

    /**
     * Where a lane stood at the end of a window.
     *
     * @param last of the partition in the stream, asked for only when the lane had not moved; else 0
     */
    private record Position(long coverage, long last) {}

    WindowHealth(WorkerContext context, MigrationLimits limits) {
        this.context = context;
        this.limits = limits;
        this.problemsBefore = Set.copyOf(context.problems().byKey().keySet());
    }

    void begin() {
        WorkerCounters counters = context.counters();
        messages = counters.messages.sum();
        redeliveries = counters.redeliveries.sum();
    }

    /**
     * What is bad in the window that ends; empty when nothing is.
     *
     * @param unfinished messages of the worker, as far as the server told
     */
    String verdict(List<Lane> lanes, long unfinished) {
        String stalled = stalled(lanes);
        String lag = lag(unfinished);
        String redelivered = redelivered();
        return !stalled.isEmpty() ? stalled : !lag.isEmpty() ? lag : !redelivered.isEmpty() ? redelivered : problem();
    }

    private String lag(long lag) {
        return lag <= limits.maxLag() ? "" : "lag is " + lag + " messages (max_lag " + limits.maxLag() + ")";
    }

    private String redelivered() {
        long came = context.counters().messages.sum() - messages;
        long again = context.counters().redeliveries.sum() - redeliveries;
        return came < LEAST_DELIVERIES || again * 100 <= came * limits.maxRedelivered()
                ? ""
                : again + " of " + came + " deliveries were redeliveries (max_redelivered " + limits.maxRedelivered()
                        + " %)";
    }

    private String problem() {
        Map<String, String> now = new TreeMap<>(context.problems().byKey());
        now.keySet().removeAll(problemsBefore);
        now.keySet().removeIf(key -> NOT_JUDGED.contains(key) || key.contains(ModeMigration.LOOP));
        return now.isEmpty() ? "" : "new problem: " + now.values().iterator().next();
    }

    /**
     * A partition with an empty queue has not moved for a window although the stream had a message for it a window ago. The lag
     * does not show it: the server tells it only with a delivery.
     */
    private String stalled(List<Lane> lanes) {
        Map<Lane, Position> now = new HashMap<>();
        String found = "";
        for (Lane lane : lanes) {
            long coverage = lane.coverage();
            Position before = positions.get(lane);
            boolean waits = before != null
                    && before.coverage() == coverage
                    && lane.size() == 0
                    && !lane.isStopped()
                    && !lane.partition().closed();
            if (before != null && waits && before.last() > coverage) {
                found = "partition " + lane.partition().id() + " gets no messages: it stands at sequence " + coverage
                        + ", and the stream has " + before.last();
            }
            now.put(lane, new Position(coverage, waits ? lastOf(lane) : 0));
        }
        positions = now;
        return found;
    }

    private long lastOf(Lane lane) {
        return context.stream().lastOf(lane.partition().filter()).orElse(0);
    }
}
