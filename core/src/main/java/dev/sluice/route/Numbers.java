package dev.sluice.route;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The {@code seq} of each subscription in one partition under one claim. A subscription that ends and comes again goes on
 * counting, as long as it is remembered: its gateway may remember too, and drop what is not above the last.
 */
final class Numbers {
    private static final int REMEMBERED = 100_000;

    private final Map<String, Long> last = new ConcurrentHashMap<>();
    private final Map<String, Long> ended = new LinkedHashMap<>();

    long next(String subscriptionId) {
        return last.compute(subscriptionId, (id, before) -> 1 + (before != null ? before : comeBack(id)));
    }

    private long comeBack(String id) {
        synchronized (ended) {
            Long before = ended.remove(id);
            return before == null ? 0 : before;
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
                ended.remove(ended.keySet().iterator().next());
            }
        }
    }
}
