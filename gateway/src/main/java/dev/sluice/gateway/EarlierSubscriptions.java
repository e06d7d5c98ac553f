package dev.sluice.gateway;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Subscriptions that this gateway registered before it started again, and that the application has not made again yet. To
 * acknowledge their events would lose them, so they are awaited: until the application subscribes, unsubscribes, says that
 * it is ready, or their time to live is over. Any thread may call.
 */
final class EarlierSubscriptions {
    private static final Logger LOG = LoggerFactory.getLogger(EarlierSubscriptions.class);

    private final LongSupplier nanos;
    private final Map<String, Long> endsAt = new ConcurrentHashMap<>();
    private final AtomicBoolean warned = new AtomicBoolean();
    private volatile boolean over;

    EarlierSubscriptions(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** @param timesToLive of the subscriptions that the Streamer has of this gateway, by id */
    void learn(Map<String, Duration> timesToLive) {
        long now = nanos.getAsLong();
        timesToLive.forEach((id, time) -> endsAt.put(id, now + time.toNanos()));
        if (over) {
            endsAt.clear();
        }
    }

    boolean awaits(String id) {
        Long end = endsAt.get(id);
        if (end == null) {
            return false;
        }
        boolean alive = nanos.getAsLong() - end < 0;
        if (!alive) {
            endsAt.remove(id, end);
        }
        return alive;
    }

    /** Says, once, whose events are sent back. */
    void warn(String id) {
        if (warned.compareAndSet(false, true)) {
            LOG.warn(
                    "Subscription {} was registered before this gateway restarted and is not subscribed yet: its events are"
                            + " sent back. Subscribe or unsubscribe it, or call Gateway.ready() when all are subscribed",
                    id);
        }
    }

    /** The application has made it again, or ended it. Returns false when it was not awaited. */
    boolean remove(String id) {
        return endsAt.remove(id) != null;
    }

    /** The application has made all of them. */
    void clear() {
        over = true;
        endsAt.clear();
    }
}
