package dev.sluice.deliver;

import dev.sluice.model.FencingToken;

/**
 * One match on its way to one gateway.
 *
 * @param seq counts from 1 per subscription, partition and token
 * @param redelivery the gateway may have had it already
 * @param progress a marker that loses nothing when a subscription goes on from it: all this gateway was owed up to there
 *     it has acknowledged; empty where that is not known
 * @param representative nobody can know whom the event concerns ({@code MatchKind.UNKNOWN}): it is sent once, and the
 *     gateway tells all of its subscriptions of the same tenant, collection and priority that have a filter and name no document
 */
public record Delivery(
        String subscriptionId,
        EventType type,
        OutgoingEvent event,
        long seq,
        int partition,
        FencingToken token,
        boolean redelivery,
        String progress,
        boolean representative) {

    /** What concerns this subscription alone. */
    public Delivery(
            String subscriptionId,
            EventType type,
            OutgoingEvent event,
            long seq,
            int partition,
            FencingToken token,
            boolean redelivery,
            String progress) {
        this(subscriptionId, type, event, seq, partition, token, redelivery, progress, false);
    }
}
