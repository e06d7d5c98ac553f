package dev.sluice.subscribe;

import dev.sluice.model.Subscription;
import java.util.Collection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Told of every change, one after the other. One that throws is logged, and the change goes on. */
public interface SubscriptionListener {
    /** Why it cannot be registered as it is, in a sentence for whoever asks; empty when it can. */
    default Optional<String> objection(Subscription subscription) {
        return Optional.empty();
    }

    /**
     * These are about to be stored. Whoever keeps what they are owed by their gateway or priority makes sure that it
     * survives a crash right after they are stored; after {@link #beforeAdd}, or {@link #notStored}, it need not.
     *
     * @throws NotReadyException when they cannot be applied now: then they are not stored, and stay as they are
     */
    default void beforeStore(Collection<Replacement> changes) {}

    /** They could not be stored and stay as they are. */
    default void notStored(Collection<Replacement> changes) {}

    /**
     * The index shows it only after this returns, so that whoever routes can arrange where it starts.
     *
     * @param earlier what had this id until now
     */
    void beforeAdd(Subscription subscription, @Nullable Subscription earlier);

    /** The index shows all of these now; once for all that came together. */
    default void afterAdd(Collection<Subscription> shown) {}

    /** The index does not show it any more. */
    void afterRemove(Subscription subscription, SubscriptionEnd why);
}
