package dev.sluice.testkit.contract;

import dev.sluice.subscribe.InMemorySubscriptions;
import dev.sluice.subscribe.SubscriptionStore;

class InMemorySubscriptionsTest extends SubscriptionStoreContract {
    @Override
    protected SubscriptionStore open() {
        return new InMemorySubscriptions();
    }

    @Override
    protected SubscriptionStore reopen(SubscriptionStore store) {
        return store;
    }
}
