package dev.sluice.subscribe;

import java.util.concurrent.atomic.AtomicLong;

/** What happened since the start. Any thread may read. */
public final class SubscriptionCounters {
    final AtomicLong added = new AtomicLong();
    final AtomicLong replaced = new AtomicLong();
    final AtomicLong renewed = new AtomicLong();
    final AtomicLong invalid = new AtomicLong();
    final AtomicLong overQuota = new AtomicLong();
    final AtomicLong removed = new AtomicLong();
    final AtomicLong expired = new AtomicLong();
    final AtomicLong gatewayGone = new AtomicLong();

    /** Registered under an id that nobody had. */
    public long added() {
        return added.get();
    }

    /** Put in the place of another one. */
    public long replaced() {
        return replaced.get();
    }

    /** Renewed one by one, with all of their gateway, or by being registered again just so. */
    public long renewed() {
        return renewed.get();
    }

    public long refused(Refusal.Cause cause) {
        return switch (cause) {
            case INVALID -> invalid.get();
            case QUOTA -> overQuota.get();
        };
    }

    public long ended(SubscriptionEnd why) {
        return counter(why).get();
    }

    AtomicLong counter(SubscriptionEnd why) {
        return switch (why) {
            case REMOVED -> removed;
            case EXPIRED -> expired;
            case GATEWAY_GONE -> gatewayGone;
        };
    }
}
