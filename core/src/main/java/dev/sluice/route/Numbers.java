package dev.sluice.route;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The {@code seq} of each subscription in one partition under one claim. A subscription that ends and comes again goes on
 * counting, because its gateway may remember which numbers it has had. Of the last that ended each is remembered; all others
 * begin above the highest that was forgotten.
 */
final class Numbers {
    private static final int REMEMBERED = 10_000;

    private final Map<String, Long> last = new ConcurrentHashMap<>();
    private final Map<String, Long> ended = new LinkedHashMap<>();
    private long forgotten;

    long next(String subscriptionId) {
        return last.compute(subscriptionId, (id, before) -> 1 + (before != null ? before : comeBack(id)));
    }

    private long comeBack(String id) {
        synchronized (ended) {
            Long before = ended.remove(id);
            return before == null ? forgotten : before;
        }
    }

    void end(String subscriptionId) {
        Long before = last.remove(subscriptionId);
        if (before == null) {
            return;
        }
        synchronized (ended) {
            ended.put(subscriptionId, before);
            if (ended.size() > REMEMBERED) {
                Iterator<Long> oldest = ended.values().iterator();
                forgotten = Math.max(forgotten, oldest.next());
                oldest.remove();
            }
        }
    }
}
