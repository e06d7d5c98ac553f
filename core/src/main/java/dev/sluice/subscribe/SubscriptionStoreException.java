package dev.sluice.subscribe;

import org.jspecify.annotations.Nullable;

/** Subscriptions cannot be kept or read now. The message says what an operator can do; whoever called may try again. */
public final class SubscriptionStoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SubscriptionStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
