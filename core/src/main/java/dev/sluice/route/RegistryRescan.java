package dev.sluice.route;

import dev.sluice.lane.Awaited;
import dev.sluice.lane.Flows;
import dev.sluice.lane.Sender;
import dev.sluice.model.Position;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.Collection;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a partition follow the registry when changes are missing from the ring: every record above the applied revision is placed
 * anew. For the partition's thread, within {@code registry.reading}.
 */
final class RegistryRescan {
    private static final Logger LOG = LoggerFactory.getLogger(RegistryRescan.class);

    private final StreamerContext context;
    private final Sender sender;
    private final Collection<PartitionStream> streams;
    private final Flows flows;
    private final Displaced displaced;
    private final Placement placement;
    private final ResyncOrders resyncs;
    private final Map<String, Awaited> ended;

    /** Up to where groups had settled everything when the scan began. */
    private final Map<Group, Position> settled = new IdentityHashMap<>();

    /** @param ended deliveries in flight of subscriptions that ended */
    RegistryRescan(
            StreamerContext context,
            Sender sender,
            Collection<PartitionStream> streams,
            Flows flows,
            Displaced displaced,
            Placement placement,
            ResyncOrders resyncs,
            Map<String, Awaited> ended) {
        this.context = context;
        this.sender = sender;
        this.streams = streams;
        this.flows = flows;
        this.displaced = displaced;
        this.placement = placement;
        this.resyncs = resyncs;
        this.ended = ended;
    }

    /** @param applied the revision that the groups show */
    void run(long applied) {
        LOG.atWarn()
                .addKeyValue("partition", sender.partition())
                .addKeyValue("applied", applied)
                .addKeyValue("revision", context.registry().revision())
                .log("too many registry changes since the partition last followed: it compares every subscription");
        // Before anything is withdrawn, which counts as settled.
        streams.forEach(stream -> stream.groups().forEach(group -> settled.put(group, group.acked(stream.tail()))));
        try {
            scan(applied);
        } finally {
            settled.clear();
        }
    }

    private void scan(long applied) {
        dropEnded();
        displaced.clear();
        context.registry().forEach(subscription -> {
            displaced.changed(null, subscription);
            if (subscription.revision() > applied) {
                Awaited inFlight = placement.withdrawFromAllLanes(subscription.id());
                streams.forEach(stream -> placeAnew(stream, subscription, inFlight, applied));
                if (subscription.resync() > applied) {
                    resyncs.order(subscription);
                }
            }
        });
    }

    /** Where it was is not known: it may have been in any main group, or in the side group it is listed in. */
    private void placeAnew(PartitionStream stream, SubscriptionRecord subscription, Awaited inFlight, long applied) {
        boolean created = subscription.created() > applied;
        inFlight.follow(ended.getOrDefault(subscription.id(), new Awaited()));
        Position place = created
                ? stream.position(subscription.start())
                : Position.lower(Placement.since(stream, subscription, applied), lowestSettled(stream));
        for (Group side : stream.groups().sides().all()) {
            if (side.members != null && side.members.containsKey(subscription.id())) {
                place = Position.lower(place, settled.getOrDefault(side, side.acked(stream.tail())));
                inFlight.follow(side.awaiting());
                stream.groups().leaveSide(subscription.id(), side.key.gateway());
            }
        }
        if (created) {
            stream.starts(place);
        }
        placement.place(stream, subscription, place, created ? Position.START : stream.tail(), inFlight);
    }

    private Position lowestSettled(PartitionStream stream) {
        return settled.entrySet().stream()
                .filter(each -> each.getKey().stream == stream.groups())
                .map(Map.Entry::getValue)
                .reduce(stream.tail(), Position::lower);
    }

    private void dropEnded() {
        for (PartitionStream stream : streams) {
            for (Group side : stream.groups().sides().all()) {
                Set<String> gone = new HashSet<>();
                if (side.members != null) {
                    side.members.forEach((id, created) -> {
                        SubscriptionRecord now = context.registry().find(id);
                        if (now == null || now.created() != created) {
                            gone.add(id);
                        }
                    });
                }
                for (String id : gone) {
                    ended.computeIfAbsent(id, none -> new Awaited()).follow(placement.withdrawFromAllLanes(id));
                    flows.end(id);
                    stream.groups().leaveSide(id, side.key.gateway());
                }
            }
        }
        placement.withdrawEnded();
    }
}
