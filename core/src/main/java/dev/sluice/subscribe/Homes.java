package dev.sluice.subscribe;

import dev.sluice.model.Fnv1a64;
import dev.sluice.model.Subscription;
import java.util.function.Predicate;

/**
 * Computes the home of a subscription.
 *
 * @param unclaimed where subscriptions belong whose gateway is not registered, or that name none
 */
public record Homes(Unclaimed unclaimed) {
    /** How many shares of the ring there are. */
    public static final int SHARES = 64;

    /** What becomes of a subscription whose gateway is not registered. */
    public enum Unclaimed {
        /** It waits for the gateway that it names; a subscription that names none belongs to a share. */
        WAIT,
        /** It belongs to a share of the ring. */
        SHARE,
        /** Every live gateway gets its events. */
        BROADCAST
    }

    /** @param registered whether a gateway of this id is registered, be it up or away */
    public Home of(Subscription subscription, Predicate<String> registered) {
        String gateway = subscription.gatewayId();
        boolean named = !gateway.isEmpty();
        if (named && (unclaimed == Unclaimed.WAIT || registered.test(gateway))) {
            return new Home.Gateway(gateway);
        }
        return unclaimed == Unclaimed.BROADCAST ? Home.BROADCAST : share(subscription.id());
    }

    /** The share of the ring that holds this subscription id, the same on every node and in every version. */
    public static Home.Share share(String id) {
        return new Home.Share((int) Long.remainderUnsigned(Fnv1a64.hash(id), SHARES));
    }
}
