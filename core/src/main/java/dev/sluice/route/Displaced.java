package dev.sluice.route;

import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How many subscriptions name a gateway that is not their home: another one serves them. For the partition's thread. */
final class Displaced {
    private final Map<String, Integer> byGateway = new HashMap<>();

    boolean hasOf(String gateway) {
        return byGateway.containsKey(gateway);
    }

    void clear() {
        byGateway.clear();
    }

    void changed(@Nullable SubscriptionRecord before, @Nullable SubscriptionRecord now) {
        count(before, -1);
        count(now, 1);
    }

    private void count(@Nullable SubscriptionRecord subscription, int change) {
        if (subscription == null || isAtHome(subscription)) {
            return;
        }
        byGateway.compute(subscription.definition().gatewayId(), (gateway, count) -> {
            int now = (count == null ? 0 : count) + change;
            return now == 0 ? null : now;
        });
    }

    private static boolean isAtHome(SubscriptionRecord subscription) {
        return subscription.home() instanceof Home.Gateway home
                && home.id().equals(subscription.definition().gatewayId());
    }
}
