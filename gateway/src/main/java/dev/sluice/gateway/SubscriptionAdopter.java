package dev.sluice.gateway;

import dev.sluice.model.Subscription;

/**
 * Takes subscriptions over that this gateway did not register: those the Streamer's hash ring places here, and those of a
 * gateway that stayed away longer than its grace. One call at a time; a call should end within a second, because the events
 * wait for it.
 */
@FunctionalInterface
public interface SubscriptionAdopter {
    /**
     * Told before the first event of the subscription, and again when its definition has changed, or when this gateway has
     * started again. It may be one that has just ended.
     *
     * @return where its events go, which begin where the gateway before it had acknowledged everything
     * @throws RejectedException nobody here will ever want it: its events become dead letters
     * @throws Exception not now: its events come again, and it is told again with them
     */
    EventCallback adopt(Subscription subscription) throws Exception;

    /**
     * No more is expected of it: it has ended. Not every end is noticed: only of those that this gateway renews (with
     * {@code failover} and a gateway of their own), and of the longest without an event when there are too many.
     */
    default void released(Subscription subscription) {}
}
