package dev.sluice.gateway;

import dev.sluice.deliver.Reason;
import dev.sluice.model.Subscription;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Subscriptions of others that this gateway serves, because the Streamer told it so. To be told again is harmless, and so is
 * to forget one: its next event is sent back, and comes again with its definition. Any thread may call.
 */
final class Adopted {
    private static final Logger LOG = LoggerFactory.getLogger(Adopted.class);
    private static final int MOST = 100_000;

    /** Less than a Streamer waits for an answer. */
    private static final long LONGEST_WAIT_SECONDS = 3;

    private final @Nullable SubscriptionAdopter adopter;
    private final int window;
    private final LongSupplier nanos;
    private final int most;
    private final ReentrantLock asking = new ReentrantLock();
    private final Map<String, HeldSubscription> byId = new LinkedHashMap<>(16, 0.75f, true);

    /** @param adopter null: nobody here wants any */
    Adopted(@Nullable SubscriptionAdopter adopter, int window, LongSupplier nanos) {
        this(adopter, window, nanos, MOST);
    }

    Adopted(@Nullable SubscriptionAdopter adopter, int window, LongSupplier nanos, int most) {
        this.adopter = adopter;
        this.window = window;
        this.nanos = nanos;
        this.most = most;
    }

    @Nullable
    HeldSubscription find(String id) {
        synchronized (byId) {
            return byId.get(id);
        }
    }

    int size() {
        synchronized (byId) {
            return byId.size();
        }
    }

    /** The application asks for it itself, or ends it. */
    @Nullable
    HeldSubscription remove(String id) {
        synchronized (byId) {
            return byId.remove(id);
        }
    }

    /** Those nobody else can be expected to renew: their own gateway stays away. */
    List<HeldSubscription> toRenew() {
        synchronized (byId) {
            return byId.values().stream()
                    .filter(held -> held.subscription().failover()
                            && !held.subscription().gatewayId().isEmpty())
                    .toList();
        }
    }

    /** The Streamer does not know them any more. */
    void ended(Collection<String> ids) {
        for (String id : ids) {
            HeldSubscription gone = remove(id);
            if (gone != null) {
                release(gone);
            }
        }
    }

    void forgetRevisions() {
        synchronized (byId) {
            byId.values().forEach(HeldSubscription::forgetRevisions);
        }
    }

    /** Whether anybody here takes them. */
    boolean hasAdopter() {
        return adopter != null;
    }

    /** Returns {@code HANDLED}, or what is to become of its events. */
    Handling take(Subscription told) {
        if (isKnown(told)) {
            return Handling.Done.HANDLED;
        }
        try {
            if (!asking.tryLock(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)) {
                return new Handling.Failed("the adopter is still at another subscription");
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return new Handling.Failed("this gateway is being stopped");
        }
        try {
            return isKnown(told) ? Handling.Done.HANDLED : adopt(told);
        } finally {
            asking.unlock();
        }
    }

    private boolean isKnown(Subscription told) {
        HeldSubscription held = find(told.id());
        return held != null && held.subscription().equals(told);
    }

    private Handling adopt(Subscription told) {
        try {
            put(told, Objects.requireNonNull(adopter).adopt(told));
            LOG.info("Serving subscription {} of gateway \"{}\" from now on", told.id(), told.gatewayId());
            return Handling.Done.HANDLED;
        } catch (RejectedException rejected) {
            return new Handling.Rejected(Reason.brief(rejected.reason()));
        } catch (Exception failed) {
            if (failed instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            LOG.warn("Subscription {} could not be adopted; it is told again with its events", told.id(), failed);
            return new Handling.Failed("subscription " + told.id() + " could not be adopted: " + Reason.of(failed));
        }
    }

    private void put(Subscription told, EventCallback callback) {
        HeldSubscription eldest = null;
        synchronized (byId) {
            HeldSubscription before = byId.get(told.id());
            byId.put(
                    told.id(),
                    before == null
                            ? HeldSubscription.adopted(told, callback, new Repeats(window), nanos)
                            : before.toldAgain(told, callback));
            if (byId.size() > most) {
                Iterator<HeldSubscription> all = byId.values().iterator();
                eldest = all.next();
                all.remove();
            }
        }
        if (eldest != null) {
            release(eldest);
        }
    }

    private void release(HeldSubscription gone) {
        if (adopter != null) {
            try {
                adopter.released(gone.subscription());
            } catch (RuntimeException failed) {
                LOG.warn("The adopter failed at the end of subscription {}", gone.id(), failed);
            }
        }
    }
}
