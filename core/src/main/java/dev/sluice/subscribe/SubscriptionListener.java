package dev.sluice.subscribe;

import dev.sluice.model.Subscription;
import org.jspecify.annotations.Nullable;

/** Told of every change, one after the other. */
public interface SubscriptionListener {
    /**
     * The index shows it only after this returns, so that whoever routes can arrange where it starts.
     *
     * @param earlier what had this id until now
     */
    void beforeAdd(Subscription subscription, @Nullable Subscription earlier);

    /** The index does not show it any more. */
    void afterRemove(Subscription subscription, SubscriptionEnd why);
}
