package dev.sluice.subscribe;

import dev.sluice.model.Subscription;
import java.util.List;

/**
 * A part of a list, in the order of the ids.
 *
 * @param subscriptions fewer than asked for, even none, when the search went far enough for one page
 * @param next where the next page goes on; empty: there is no more
 */
public record SubscriptionPage(List<Subscription> subscriptions, String next) {
    public SubscriptionPage {
        subscriptions = List.copyOf(subscriptions);
    }
}
