package dev.sluice.route;

import dev.sluice.model.EventId;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The ids of the last events that one claim's lanes took. It starts empty with the claim: one that outlived it would drop
 * what was never acknowledged. An id is marked only when the event has been taken, so that one that failed comes again.
 */
final class Dedup {
    private final int size;
    private final long forNanos;
    private final Map<EventId, Long> taken = new LinkedHashMap<>();

    Dedup(int size, Duration keep) {
        this.size = size;
        this.forNanos = keep.toNanos();
    }

    boolean contains(EventId id, long nanos) {
        Long at = taken.get(id);
        return at != null && nanos - at < forNanos;
    }

    void mark(EventId id, long nanos) {
        if (size == 0) {
            return;
        }
        taken.putIfAbsent(id, nanos);
        Iterator<Long> oldest = taken.values().iterator();
        while (oldest.hasNext()) {
            long at = oldest.next();
            if (taken.size() <= size && nanos - at < forNanos) {
                return;
            }
            oldest.remove();
        }
    }

    int size() {
        return taken.size();
    }
}
