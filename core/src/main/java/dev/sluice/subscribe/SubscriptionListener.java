package dev.sluice.subscribe;

import dev.sluice.model.Subscription;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Told of every change, one after the other. One that throws is logged, and the change goes on. */
public interface SubscriptionListener {
    /**
     * These are about to be stored: what begins in the past, or gets another gateway or priority. Whoever keeps what they are
     * owed by that makes sure that it survives a crash right after they are stored; after {@link #beforeAdd}, or {@link
     * #notStored}, it need not.
     */
    default void beforeStore(Collection<Replacement> moving) {}

    /** They could not be stored and stay as they are. */
    default void notStored(Collection<Replacement> moving) {}

    /**
     * The index shows it only after this returns, so that whoever routes can arrange where it starts.
     *
     * @param earlier what had this id until now
     */
    void beforeAdd(Subscription subscription, @Nullable Subscription earlier);

    /** The index does not show it any more. */
    void afterRemove(Subscription subscription, SubscriptionEnd why);
}
