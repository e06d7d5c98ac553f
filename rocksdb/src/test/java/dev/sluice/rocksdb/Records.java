package dev.sluice.rocksdb;

import dev.sluice.model.Places;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.List;

/** Records for tests of the store. */
final class Records {
    private Records() {}

    static SubscriptionRecord of(Subscription definition, long revision) {
        return new SubscriptionRecord(
                definition, new Home.Gateway("g"), revision, revision, Places.OLDEST, List.of(), 0);
    }
}
