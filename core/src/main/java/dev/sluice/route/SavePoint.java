package dev.sluice.route;

import dev.sluice.model.ProgressMarker;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the position that may be saved of a partition: after a crash nothing is missed that was not acknowledged, and
 * nobody is given something older than what its gateway had. Most stand near the head and are not named; they begin at one
 * low position. Guarded by its partition's lock.
 */
final class SavePoint {
    /** A class this many events behind the head is saved with a position of its own: others need not begin there. */
    private static final int FAR = 1_000;

    private final PartitionHead head;
    private final Standings standings;
    private final Births births;
    private final Broadcasts broadcasts;
    private final Map<String, ProgressMarker> held;
    private final ResyncOrders resyncs;

    /**
     * Where everybody who was not named began, or would have. That never goes back: one of them may have another gateway
     * since, which would get what the one before had, behind what it has itself.
     */
    private Positions savedLow;

    /** @param held where subscriptions that are just being stored elsewhere are to begin */
    SavePoint(
            PartitionHead head,
            Standings standings,
            Births births,
            Broadcasts broadcasts,
            Map<String, ProgressMarker> held,
            ResyncOrders resyncs) {
        this.head = head;
        this.standings = standings;
        this.births = births;
        this.broadcasts = broadcasts;
        this.held = held;
        this.resyncs = resyncs;
        this.savedLow = head.at().copy();
    }

    /** Null while it is not known where the head is. */
    @Nullable
    SavedPosition now() {
        if (head.isNowhere()) {
            return null;
        }
        Map<SavedPosition.LaneKey, ProgressMarker> behind = new LinkedHashMap<>();
        Positions low = head.at().copy();
        for (LaneProgress each : standings.classes()) {
            Positions mine = standings.lowWater(each);
            if (isFar(each) || !mine.reaches(savedLow)) {
                behind.put(each.key(), mine.marker());
            } else {
                low.lower(mine);
            }
        }
        // Of two ids of one time nobody knows the order.
        low.raise(savedLow);
        savedLow = low.copy();
        addThoseWhoBeganLater(low, behind);
        Map<String, ProgressMarker> starting = starting();
        starting.putAll(held);
        births.each((id, birth) -> addBirth(id, birth, low, behind, starting));
        return new SavedPosition(head.told(), low.marker(), behind, starting, resyncs.outstanding());
    }

    private boolean isFar(LaneProgress progress) {
        Long first = progress.firstOrdinal();
        return progress.isBehind() || first != null && (first == Pending.REREAD || head.ordinal() - first > FAR);
    }

    /** Whom the low position would give what is before their beginning. */
    private void addThoseWhoBeganLater(Positions low, Map<SavedPosition.LaneKey, ProgressMarker> behind) {
        for (LaneProgress each : standings.classes()) {
            Positions at = each.savedApart(low, head.at());
            if (at != null && !behind.containsKey(each.key())) {
                behind.put(each.key(), at.marker());
            }
        }
        broadcasts.eachOwner((key, at) -> {
            if (!at.reaches(low)) {
                behind.putIfAbsent(key, at.marker());
            }
        });
    }

    /** Those that are not with their class yet. */
    private Map<String, ProgressMarker> starting() {
        Map<String, ProgressMarker> starting = new LinkedHashMap<>();
        standings.starts().each(progress -> {
            if (progress.starting != null && (progress.isBehind() || progress.unacknowledged() > 0)) {
                Positions at = standings.startOf(progress);
                for (String id : progress.starting.keySet()) {
                    starting.put(id, births.notBefore(id, at).marker());
                }
            }
        });
        return starting;
    }

    /** It is named as long as its class would begin before its birth. */
    private void addBirth(
            String id,
            Births.Birth birth,
            Positions low,
            Map<SavedPosition.LaneKey, ProgressMarker> behind,
            Map<String, ProgressMarker> starting) {
        if (starting.containsKey(id)) {
            return;
        }
        ProgressMarker lane = behind.get(birth.key());
        Positions at = lane == null ? low.copy() : Positions.of(lane);
        if (at.reaches(birth.at()) && !birth.asked()) {
            births.forget(id);
        } else {
            at.raise(birth.at());
            starting.put(id, at.marker());
        }
    }
}
