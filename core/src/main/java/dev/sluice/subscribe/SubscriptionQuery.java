package dev.sluice.subscribe;

import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;

/**
 * Which subscriptions to list; an empty text asks for all.
 *
 * @param afterId where the page before ended; empty: from the start
 * @param limit how many at most
 */
public record SubscriptionQuery(String gatewayId, String tenant, String collection, String afterId, int limit) {
    public static final int DEFAULT_LIMIT = 100;
    public static final int MOST = 1_000;

    public SubscriptionQuery {
        if (limit < 1 || limit > MOST) {
            throw new InvalidInputException("a page has 1 to " + MOST + " subscriptions, not " + limit);
        }
    }

    boolean accepts(Subscription subscription) {
        return isWanted(gatewayId, subscription.gatewayId())
                && isWanted(tenant, subscription.tenant())
                && isWanted(collection, subscription.collection());
    }

    private static boolean isWanted(String asked, String has) {
        return asked.isEmpty() || asked.equals(has);
    }
}
