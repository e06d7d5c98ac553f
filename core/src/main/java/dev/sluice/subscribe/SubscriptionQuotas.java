package dev.sluice.subscribe;

import dev.sluice.model.Subscription;

/**
 * How many subscriptions there may be. One without a gateway or without a tenant counts only towards the totals.
 *
 * @param perGateway of one gateway
 * @param perTenant of one tenant
 * @param total in all
 * @param characters that all of them together may have in their texts: few large filters cost what many small ones do
 */
public record SubscriptionQuotas(int perGateway, int perTenant, int total, long characters) {
    public static final SubscriptionQuotas DEFAULT = new SubscriptionQuotas(10_000, 50_000, 1_000_000);

    /** What a position takes in a marker's text, about. */
    private static final int POSITION = 64;

    private static final int CHARACTERS_EACH = 256;

    public SubscriptionQuotas {
        if (perGateway < 1 || perTenant < 1 || total < 1 || characters < 1) {
            throw new IllegalArgumentException("A quota of subscriptions is at least 1.");
        }
    }

    /** With so many characters that a subscription has 256 on average. */
    public SubscriptionQuotas(int perGateway, int perTenant, int total) {
        this(perGateway, perTenant, total, Math.max((long) CHARACTERS_EACH * total, 1 << 20));
    }

    static int characters(Subscription subscription) {
        return subscription.id().length()
                + subscription.gatewayId().length()
                + subscription.tenant().length()
                + subscription.collection().length()
                + subscription.documentId().map(String::length).orElse(0)
                + subscription.filter().length()
                + subscription
                        .from()
                        .map(from -> POSITION * from.positions().size())
                        .orElse(0);
    }
}
