package dev.sluice.route;

import dev.sluice.deliver.Passed;
import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.LogHead;
import dev.sluice.lane.GroupKey;
import dev.sluice.lane.Lanes;
import dev.sluice.model.Places;
import dev.sluice.subscribe.RegistryChange;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Markers from which a subscription may go on, and how far gateways have got: {@link Streamer} says more. Waits for nothing. */
final class GatewayMarkers {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayMarkers.class);
    private static final int UNAPPLIED_LOOKED_AT = 10_000;

    private final StreamerContext context;
    private final OwnedPartitions partitions;
    private volatile @Nullable Encoded encoded;

    private record Encoded(Places places, String marker) {}

    GatewayMarkers(StreamerContext context, OwnedPartitions partitions) {
        this.context = context;
        this.partitions = partitions;
    }

    /** What a batch for this gateway tells. */
    Lanes.Told told(String gatewayId) {
        return new Lanes.Told(lowWater(gatewayId), passed(gatewayId));
    }

    String head() {
        if (!partitions.isReady()) {
            return "";
        }
        try {
            TreeMap<String, Places.Place> places = new TreeMap<>();
            for (Map.Entry<String, LogHead> log : context.feed().heads().entrySet()) {
                LogHead head = log.getValue();
                places.put(log.getKey(), new Places.Place(head.identity(), head.head()));
            }
            return encode(new Places(places));
        } catch (FeedUnavailableException e) {
            LOG.debug("the heads of the logs are not known now", e);
            return "";
        }
    }

    String lowWater(String gatewayId) {
        Set<GroupKey> its = context.router().servedBy(gatewayId);
        List<OwnedPartition> all = List.copyOf(partitions.all());
        Places lowest = null;
        for (OwnedPartition each : all) {
            long applied = each.applied();
            Places low = each.partitions() == all.size() ? each.lowWater(its) : null;
            Places unapplied = low == null ? null : lowerOfUnapplied(low, applied);
            if (unapplied == null) {
                return "";
            }
            lowest = lowest == null ? unapplied : lowest.lower(unapplied);
        }
        return lowest == null ? "" : encode(lowest);
    }

    /** Many gateways stand at the same places: the last text that was made is kept. */
    private String encode(Places places) {
        Encoded last = encoded;
        if (last == null || !last.places.equals(places)) {
            last = new Encoded(places, places.marker().encode());
            encoded = last;
        }
        return last.marker;
    }

    /** How far the partitions that are owned here have got with a gateway's own subscriptions. */
    private List<Passed> passed(String gatewayId) {
        List<Passed> passed = new ArrayList<>();
        for (OwnedPartition each : partitions.all()) {
            Passed its = each.passed(gatewayId);
            if (its != null) {
                passed.add(its);
            }
        }
        return passed;
    }

    /**
     * A subscription that a partition has not placed yet begins at its start. While one has changed, and not every partition has
     * placed it anew, no marker is known: it may be owed more by the groups it leaves.
     */
    private @Nullable Places lowerOfUnapplied(Places low, long applied) {
        List<RegistryChange> changes = context.registry().changesAfter(applied, UNAPPLIED_LOOKED_AT);
        if (changes == null || changes.size() == UNAPPLIED_LOOKED_AT) {
            return null;
        }
        Places lowest = low;
        for (RegistryChange change : changes) {
            SubscriptionRecord now = change.now();
            if (now != null && now.created() <= applied) {
                return null;
            }
            lowest = now == null ? lowest : lowest.lower(now.start());
        }
        return lowest;
    }
}
