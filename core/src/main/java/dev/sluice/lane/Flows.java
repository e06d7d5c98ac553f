package dev.sluice.lane;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The flows of one partition under one claim. A subscription that ends and comes again goes on counting, because its gateway
 * may remember which numbers it has had. The numbers of the last subscriptions that ended are kept; all others begin above
 * the highest that was forgotten. Any thread may call: dead letters are sent from others than the partition's.
 */
public final class Flows {
    private static final int ENDED_KEPT = 10_000;

    private final Map<String, Flow> flows = new HashMap<>();
    private final Map<String, Long> ended = new LinkedHashMap<>();
    private long forgotten;

    /** Returns the flow of a subscription through this lane. A gateway that was gone and is back has another lane. */
    public synchronized Flow of(String subscriptionId, Lane lane) {
        Flow first = flows.get(subscriptionId);
        for (Flow each = first; each != null; each = each.other) {
            if (each.lane == lane) {
                return each;
            }
        }
        // Before any is left out: a gateway that is gone may come back and remember what it had.
        long last = first == null ? comeBack(subscriptionId) : highest(first);
        Flow flow = new Flow(subscriptionId, lane, ofOpenLanes(first), last);
        flows.put(subscriptionId, flow);
        return flow;
    }

    /** Leaves out the flows through lanes of gateways that are gone: nothing new goes out there, only their numbers count. */
    private static @Nullable Flow ofOpenLanes(@Nullable Flow first) {
        if (first == null) {
            return null;
        }
        first.other = ofOpenLanes(first.other);
        return first.lane.isClosed() ? first.other : first;
    }

    /** Returns the flow of a subscription through this lane; null: nothing of it has gone there. */
    public synchronized @Nullable Flow find(String subscriptionId, Lane lane) {
        Flow found = flows.get(subscriptionId);
        while (found != null && found.lane != lane) {
            found = found.other;
        }
        return found;
    }

    private long comeBack(String subscriptionId) {
        Long before = ended.remove(subscriptionId);
        return before == null ? forgotten : before;
    }

    private static long highest(@Nullable Flow first) {
        long highest = 0;
        for (Flow each = first; each != null; each = each.other) {
            highest = Math.max(highest, each.lastSeq());
        }
        return highest;
    }

    public synchronized void end(String subscriptionId) {
        Flow first = flows.remove(subscriptionId);
        if (first == null) {
            return;
        }
        ended.put(subscriptionId, highest(first));
        if (ended.size() > ENDED_KEPT) {
            Iterator<Long> oldest = ended.values().iterator();
            forgotten = Math.max(forgotten, oldest.next());
            oldest.remove();
        }
    }
}
