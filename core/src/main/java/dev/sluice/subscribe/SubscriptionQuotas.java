package dev.sluice.subscribe;

/**
 * How many subscriptions there may be. One without a gateway or without a tenant counts only towards the total.
 *
 * @param perGateway of one gateway
 * @param perTenant of one tenant
 * @param total in all
 */
public record SubscriptionQuotas(int perGateway, int perTenant, int total) {
    public static final SubscriptionQuotas DEFAULT = new SubscriptionQuotas(10_000, 50_000, 1_000_000);

    public SubscriptionQuotas {
        if (perGateway < 1 || perTenant < 1 || total < 1) {
            throw new IllegalArgumentException("A quota of subscriptions is at least 1.");
        }
    }
}
