package dev.sluice.subscribe;

/** Why a subscription is no more. */
public enum SubscriptionEnd {
    /** Somebody removed it. */
    REMOVED,
    /** It was not renewed within its TTL. */
    EXPIRED,
    /** Its gateway stayed away longer than the grace, and nobody took it over. */
    GATEWAY_GONE
}
