package dev.sluice.deliver;

import dev.sluice.model.FencingToken;
import dev.sluice.model.Priority;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One match on its way to one gateway.
 *
 * @param seq counts from 1 per subscription, partition and token
 * @param redelivery the gateway may have had it already
 * @param progress a marker that loses nothing when a subscription goes on from it: all this gateway was owed up to there
 *     it has acknowledged; empty where that is not known
 * @param standsFor nobody can know whom the event concerns ({@code MatchKind.UNKNOWN}): it is sent once, and the gateway
 *     tells all of its subscriptions of this priority and the event's tenant and collection that have a filter and name no
 *     document; null: it concerns its subscription alone
 * @param scope of its subscription
 * @param revision of the last change of definition, home or priority in the subscription's record that was matched; 0: not
 *     known, or it belongs to any of them
 * @param except ids of subscriptions that it does not stand for: they are told of the event by themselves
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
        @Nullable Priority standsFor,
        Scope scope,
        long revision,
        List<String> except) {

    /**
     * What receivers other than gateways need to know of a subscription.
     *
     * @param tenant empty: any
     * @param collection where control events belong that name none
     * @param start grows each time the subscription is to be given again what it may have had (it registered with {@code
     *     from}), while one owner has the partition: a repeat of an earlier start is no repeat of this one
     */
    public record Scope(String tenant, String collection, long start) {
        /** Scope of a subscription that is no longer registered. */
        public static final Scope UNKNOWN = new Scope("", "", 0);
    }

    /** Of a record whose revision is not known. */
    public Delivery(
            String subscriptionId,
            EventType type,
            OutgoingEvent event,
            long seq,
            int partition,
            FencingToken token,
            boolean redelivery,
            String progress,
            @Nullable Priority standsFor,
            Scope scope) {
        this(subscriptionId, type, event, seq, partition, token, redelivery, progress, standsFor, scope, 0, List.of());
    }

    public Delivery(
            String subscriptionId,
            EventType type,
            OutgoingEvent event,
            long seq,
            int partition,
            FencingToken token,
            boolean redelivery,
            String progress,
            @Nullable Priority standsFor) {
        this(subscriptionId, type, event, seq, partition, token, redelivery, progress, standsFor, Scope.UNKNOWN);
    }

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
        this(subscriptionId, type, event, seq, partition, token, redelivery, progress, null);
    }

    public boolean representative() {
        return standsFor != null;
    }
}
