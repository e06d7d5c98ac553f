package dev.sluice.route;

import dev.sluice.model.EventId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The ids of the last events of each backend that one claim's lanes took. It starts empty with the claim: one that outlived
 * it would drop what was never acknowledged. An id is marked only when the event has been taken, so that one that failed
 * comes again.
 */
final class Dedup {
    private final int size;
    private final long forNanos;
    private final Map<String, Map<EventId, Long>> takenByBackend = new HashMap<>();

    /** @param size of each backend */
    Dedup(int size, Duration keep) {
        this.size = size;
        this.forNanos = keep.toNanos();
    }

    boolean contains(String backend, EventId id, long nanos) {
        Map<EventId, Long> taken = takenByBackend.get(backend);
        Long at = taken == null ? null : taken.get(id);
        return at != null && nanos - at < forNanos;
    }

    void mark(String backend, EventId id, long nanos) {
        if (size == 0) {
            return;
        }
        Map<EventId, Long> taken = takenByBackend.computeIfAbsent(backend, none -> new LinkedHashMap<>());
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
        return takenByBackend.values().stream().mapToInt(Map::size).sum();
    }
}
