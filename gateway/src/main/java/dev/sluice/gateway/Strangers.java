package dev.sluice.gateway;

import dev.sluice.model.Subscription;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What to do with events of subscriptions nobody here has. Either the application takes them (a gateway that the hash
 * ring or a failover may choose does), or they are acknowledged and counted: such a subscription has ended here, or lives
 * at another gateway. But not right after the start: then it may be one that the application is about to make again, and
 * an acknowledgement would lose the event, a rejection would make it a dead letter. So it comes again until the grace is over,
 * and the events of this gateway's own earlier subscriptions as long as those are {@link EarlierSubscriptions awaited}.
 */
final class Strangers {
    private static final int REMEMBERED = 10_000;
    /** What it is about only the Streamer knows; a resync may be of all collections. */
    private static final String NOBODY = "?";

    private final @Nullable EventCallback taker;
    private final int window;
    private final LongSupplier nanos;
    private final EarlierSubscriptions earlier;
    private volatile long grace;
    private volatile boolean begun;
    private volatile long since;
    private final Map<String, HeldSubscription> taken = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, HeldSubscription> eldest) {
            return size() > REMEMBERED;
        }
    };

    Strangers(
            @Nullable EventCallback taker,
            int window,
            Duration grace,
            EarlierSubscriptions earlier,
            LongSupplier nanos) {
        this.earlier = earlier;
        this.taker = taker;
        this.window = window;
        this.grace = grace.toNanos();
        this.nanos = nanos;
    }

    /** The Streamer knows this gateway. Without it the application could not subscribe, however long it had. */
    void graceBegins() {
        if (!begun) {
            since = nanos.getAsLong();
            begun = true;
        }
    }

    /** The application has made all its subscriptions. */
    void graceIsOver() {
        grace = 0;
    }

    void forgetRevisions() {
        synchronized (taken) {
            taken.values().forEach(HeldSubscription::forgetRevisions);
        }
    }

    Handling handle(Incoming incoming, Fence fence) {
        ReceivedEvent event = incoming.event();
        if (taker != null) {
            return held(event, taker).handle(incoming, fence);
        }
        return isInGrace() || isAwaited(event.subscriptionId())
                ? notYet(event.subscriptionId())
                : Handling.Done.UNKNOWN;
    }

    private boolean isAwaited(String subscriptionId) {
        boolean awaited = earlier.awaits(subscriptionId);
        if (awaited) {
            earlier.warn(subscriptionId);
        }
        return awaited;
    }

    /**
     * What becomes of events of a subscription that this gateway was told, and has no adopter for. To acknowledge them would
     * lose them: here they are as good as owned.
     */
    Handling refuse(String subscriptionId) {
        return isInGrace()
                ? notYet(subscriptionId)
                : new Handling.Rejected("this gateway did not register subscription " + subscriptionId
                        + " and has no adopter for those of others: give it one, or serve them elsewhere");
    }

    private boolean isInGrace() {
        return grace > 0 && (!begun || nanos.getAsLong() - since < grace);
    }

    private static Handling notYet(String subscriptionId) {
        return new Handling.Failed("this gateway has started again and does not know subscription " + subscriptionId
                + " yet: send it again");
    }

    private HeldSubscription held(ReceivedEvent event, EventCallback callback) {
        synchronized (taken) {
            return taken.computeIfAbsent(
                    event.subscriptionId(),
                    id -> new HeldSubscription(
                            Subscription.of(id, NOBODY, "", NOBODY, "{}"), callback, new Repeats(window), nanos));
        }
    }
}
