package dev.sluice.route;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.ProgressMarker;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far something has got, in every backend; moved in place, because it moves with every event. Ids of one cluster time
 * have no order by value. Where that matters, this takes the side on which an event comes twice and none is missed.
 */
final class Positions {
    private final Map<String, EventId> ids;

    private Positions(Map<String, EventId> ids) {
        this.ids = ids;
    }

    static Positions nowhere() {
        return new Positions(new HashMap<>());
    }

    static Positions of(ProgressMarker marker) {
        return new Positions(new HashMap<>(marker.positions()));
    }

    Positions copy() {
        return new Positions(new HashMap<>(ids));
    }

    ProgressMarker marker() {
        return new ProgressMarker(ids);
    }

    boolean isNowhere() {
        return ids.isEmpty();
    }

    int backends() {
        return ids.size();
    }

    Map<String, EventId> byBackend() {
        return ids;
    }

    @Nullable
    EventId at(String backend) {
        return ids.get(backend);
    }

    void move(String backend, EventId id) {
        ids.put(backend, id);
    }

    void move(ProgressMarker to) {
        ids.putAll(to.positions());
    }

    /** What was at this position need not see the event. At the same cluster time only the very id is sure. */
    boolean covers(ChangeEvent event) {
        EventId mine = ids.get(event.backend());
        return mine != null
                && (event.clusterTime().compareTo(mine.time()) < 0 || event.id().equals(mine));
    }

    /** False: no position up to here covers the event. */
    boolean mayCover(ChangeEvent event) {
        EventId mine = ids.get(event.backend());
        return mine != null && event.clusterTime().compareTo(mine.time()) <= 0;
    }

    /** Everything up to that position has been passed, for sure. */
    boolean reaches(Positions other) {
        for (Map.Entry<String, EventId> theirs : other.ids.entrySet()) {
            EventId mine = ids.get(theirs.getKey());
            boolean reached = mine != null
                    && (mine.equals(theirs.getValue())
                            || mine.time().compareTo(theirs.getValue().time()) > 0);
            if (!reached) {
                return false;
            }
        }
        return true;
    }

    /** Moves back to where nothing behind either is missed. A backend that one of them does not name starts at its oldest. */
    void lower(Positions other) {
        ids.keySet().retainAll(other.ids.keySet());
        ids.replaceAll((backend, mine) -> lower(mine, other.ids.getOrDefault(backend, mine)));
    }

    /** Moves forward to where the other is, in every backend in which this is not past it for sure. */
    void raise(Positions other) {
        other.ids.forEach((backend, theirs) -> {
            EventId mine = ids.get(backend);
            if (mine == null || mine.time().compareTo(theirs.time()) <= 0) {
                ids.put(backend, theirs);
            }
        });
    }

    /** Before everything of these times: of each event it is sure on which side of it that is. */
    Positions beforeItsTimes() {
        Positions before = copy();
        before.ids.replaceAll((backend, id) -> new EventId(id.time(), 0));
        return before;
    }

    private static EventId lower(EventId a, EventId b) {
        int order = a.time().compareTo(b.time());
        if (order == 0 && a.hash() != b.hash()) {
            // Which of them came first nobody can tell: a hash of 0 stands for what is before that time.
            return new EventId(a.time(), 0);
        }
        return order <= 0 ? a : b;
    }

    @Override
    public String toString() {
        return ids.toString();
    }
}
