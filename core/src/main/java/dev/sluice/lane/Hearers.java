package dev.sluice.lane;

import dev.sluice.model.Fnv1a64;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Which gateways hear a subscription, at one moment.
 *
 * @param broadcastGateways those that hear broadcasts, in order
 * @param maxFanout a broadcast goes to so many of them at most; 0: to all
 */
public record Hearers(List<String> broadcastGateways, int maxFanout) {
    public Hearers {
        broadcastGateways = List.copyOf(broadcastGateways);
    }

    /** Whether a broadcast goes to some gateways only, so that another set of gateways means other receivers. */
    public boolean limitsBroadcasts() {
        return maxFanout > 0;
    }

    /** The gateways that hear this subscription's broadcasts; one empty name while no gateway is known. */
    public List<String> audience(String subscriptionId) {
        if (broadcastGateways.isEmpty()) {
            return List.of("");
        }
        if (maxFanout == 0 || broadcastGateways.size() <= maxFanout) {
            return broadcastGateways;
        }
        List<String> byRank = new ArrayList<>(broadcastGateways);
        long seed = Fnv1a64.hash(subscriptionId);
        byRank.sort(Comparator.comparingLong(gateway -> Ring.spread(Fnv1a64.add(seed, gateway))));
        return byRank.subList(0, maxFanout);
    }

    /** The gateways that hear a subscription: its broadcast's audience; else one empty name. */
    public List<String> of(SubscriptionRecord subscription) {
        return subscription.home() instanceof Home.Broadcast ? audience(subscription.id()) : List.of("");
    }

    /** The groups that a subscription's matches are for: a broadcast has one for each gateway that hears it. */
    public List<GroupKey> groupsOf(SubscriptionRecord subscription) {
        return of(subscription).stream()
                .map(gateway -> GroupKey.of(subscription, gateway))
                .toList();
    }
}
