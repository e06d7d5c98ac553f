package dev.sluice.route;

import dev.sluice.lane.Awaited;
import dev.sluice.lane.Flows;
import dev.sluice.lane.Sender;
import dev.sluice.model.Position;
import dev.sluice.subscribe.RegistryChange;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a partition follow the registry: places subscriptions that are new or changed in the groups of every stream, and takes
 * those that ended out. For the partition's thread, within {@code registry.reading}.
 */
final class RegistryFollower {
    private static final Logger LOG = LoggerFactory.getLogger(RegistryFollower.class);
    private static final int CHANGES_AT_ONCE = 2_000;

    private final StreamerContext context;
    private final Sender sender;
    private final Collection<PartitionStream> streams;
    private final Flows flows;
    private final Displaced displaced;
    private final Placement placement;
    private final RegistryRescan rescan;
    private final ResyncOrders resyncs;

    /** Deliveries in flight of subscriptions that ended: one that comes again waits for them. */
    private final Map<String, Awaited> ended = new HashMap<>();

    private volatile long applied;

    RegistryFollower(
            StreamerContext context,
            Sender sender,
            Collection<PartitionStream> streams,
            Flows flows,
            Displaced displaced,
            Placement placement,
            ResyncOrders resyncs) {
        this.context = context;
        this.sender = sender;
        this.streams = streams;
        this.flows = flows;
        this.displaced = displaced;
        this.placement = placement;
        this.resyncs = resyncs;
        this.rescan = new RegistryRescan(context, sender, streams, flows, displaced, placement, resyncs, ended);
    }

    Placement placement() {
        return placement;
    }

    /** The revision of the registry that the groups show. */
    long applied() {
        return applied;
    }

    /** The groups have been made from the records up to this revision. */
    void startAt(long revision) {
        applied = revision;
    }

    /** Applies what has changed. Returns whether that was all: nothing may be offered before. */
    boolean follow() {
        if (context.registry().revision() == applied) {
            return true;
        }
        List<RegistryChange> changes = context.registry().changesAfter(applied, CHANGES_AT_ONCE);
        if (changes == null) {
            rescan.run(applied);
            applied = context.registry().revision();
            context.lanes().forgetProgress();
            return true;
        }
        for (RegistryChange change : changes) {
            apply(change);
            applied = change.revision();
        }
        if (!changes.isEmpty()) {
            context.lanes().forgetProgress();
        }
        return changes.size() < CHANGES_AT_ONCE;
    }

    private void apply(RegistryChange change) {
        SubscriptionRecord before = change.before();
        SubscriptionRecord now = change.now();
        displaced.changed(before, now);
        if (before != null && (now == null || !now.isSameIncarnation(before))) {
            end(before);
        }
        if (now == null) {
            return;
        }
        if (before == null || !now.isSameIncarnation(before)) {
            begin(now);
        } else if (now.isChangedAbove(applied)) {
            move(before, now);
        }
        if (now.resync() > applied) {
            resyncs.order(now);
        }
    }

    private void begin(SubscriptionRecord subscription) {
        Awaited before = ended.remove(subscription.id());
        for (PartitionStream stream : streams) {
            placement.begin(stream, subscription, before == null ? new Awaited() : before);
        }
    }

    /**
     * Rule 3: a changed subscription is placed at the lower of its group's {@code acked} and the lowest {@code since} of the
     * changes that were not applied. What was handed over by its earlier definition is withdrawn.
     */
    private void move(SubscriptionRecord before, SubscriptionRecord now) {
        // In every stream first: what is in flight of one keeps the others waiting, too, because they share a flow.
        Awaited inFlight = new Awaited();
        Map<PartitionStream, Cursor> left = new LinkedHashMap<>();
        for (PartitionStream stream : streams) {
            Position place = Placement.since(stream, now, applied);
            Position given = Position.START;
            for (String gateway : placement.audience().shown().of(before)) {
                Group group = stream.groups().of(before, gateway);
                place = Position.lower(place, group.acked(stream.tail()));
                given = Position.higher(given, Position.higher(group.given(), group.reached(stream.tail())));
                int unused = placement.leave(stream, before, gateway, group, inFlight);
            }
            left.put(stream, new Cursor(place, given));
        }
        left.forEach((stream, cursor) -> placement.place(stream, now, cursor.place, cursor.given, inFlight));
    }

    /** Where a subscription goes on, and up to where its events may have been handed over before. */
    private record Cursor(Position place, Position given) {}

    private void end(SubscriptionRecord subscription) {
        int dropped = 0;
        Awaited inFlight = new Awaited();
        for (PartitionStream stream : streams) {
            for (String gateway : placement.audience().shown().of(subscription)) {
                Group group = stream.groups().of(subscription, gateway);
                dropped += placement.leave(stream, subscription, gateway, group, inFlight);
            }
        }
        ended.values().removeIf(Awaited::isOver);
        if (!inFlight.isOver()) {
            ended.put(subscription.id(), inFlight);
        }
        flows.end(subscription.id());
        resyncs.ended(subscription.id());
        context.counters().dropped.add(dropped);
        if (dropped > 0) {
            LOG.atInfo()
                    .addKeyValue("partition", sender.partition())
                    .addKeyValue("subscription", subscription.id())
                    .addKeyValue("matches", dropped)
                    .log("a subscription ended while matches were on their way: they are dropped");
        }
    }
}
