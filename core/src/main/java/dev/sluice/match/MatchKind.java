package dev.sluice.match;

/** Why a subscription hears of an event. */
public enum MatchKind {
    /** The event is one the subscription asked for. */
    EXACT,
    /** The document matches its filter, and did not before the change. */
    ENTER,
    /** The document matched its filter before the change, and does no longer. */
    LEAVE,
    /**
     * Nobody can know whether the filter matched: the document is gone and its last state was not kept. The subscription
     * stands for all of its gateway, tenant, collection and priority that have a filter and name no document.
     */
    UNKNOWN,
    /** The same, and the subscription stands for itself: it has no gateway, or all of its gateway are told. */
    POSSIBLE,
    /** A control event that concerns the subscription's collection. */
    CONTROL
}
