package dev.sluice.route;

import dev.sluice.model.Position;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.RegistryChange;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    private final Offering offering;
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
            Offering offering,
            ResyncOrders resyncs) {
        this.context = context;
        this.sender = sender;
        this.streams = streams;
        this.flows = flows;
        this.displaced = displaced;
        this.offering = offering;
        this.resyncs = resyncs;
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
            applyAnew();
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
        } else if (changedAbove(now, applied)) {
            move(before, now);
        }
        if (now.resync() > applied) {
            resyncs.order(now);
        }
    }

    private static boolean changedAbove(SubscriptionRecord subscription, long revision) {
        return subscription.changes().stream().anyMatch(each -> each.revision() > revision);
    }

    private void begin(SubscriptionRecord subscription) {
        Awaited before = ended.remove(subscription.id());
        for (PartitionStream stream : streams) {
            begin(stream, subscription, before == null ? new Awaited() : before);
        }
    }

    /**
     * Rule 2: a new subscription is placed at its start.
     *
     * @param inFlight of an earlier incarnation
     */
    void begin(PartitionStream stream, SubscriptionRecord subscription, Awaited inFlight) {
        Position start = stream.position(subscription.start());
        stream.starts(start);
        place(stream, subscription, start, Position.START, inFlight);
    }

    /** Places a subscription in the group of every gateway that hears it. */
    void place(
            PartitionStream stream, SubscriptionRecord subscription, Position place, Position given, Awaited inFlight) {
        for (String gateway : gateways(subscription)) {
            Group group = stream.groups().place(subscription, gateway, place, given);
            group.await(inFlight);
            bound(stream, group.key);
        }
    }

    private List<String> gateways(SubscriptionRecord subscription) {
        return subscription.home() instanceof Home.Broadcast
                ? context.router().audience(subscription.id())
                : List.of("");
    }

    private void bound(PartitionStream stream, GroupKey key) {
        List<Group> tooMany = stream.groups().nearestOfTooMany(key);
        if (tooMany != null) {
            Group lower = tooMany.getFirst();
            Group higher = tooMany.getLast();
            offering.putBack(stream, higher, lower.read(stream.tail()));
            stream.groups().mergeDown(lower, higher);
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
            Position place = since(stream, now, applied);
            Position given = Position.START;
            for (String gateway : gateways(before)) {
                Group group = stream.groups().of(before, gateway);
                place = Position.lower(place, group.acked(stream.tail()));
                given = Position.higher(given, Position.higher(group.given(), group.read(stream.tail())));
                int unused = leave(stream, before, gateway, group, inFlight);
            }
            left.put(stream, new Cursor(place, given));
        }
        left.forEach((stream, cursor) -> place(stream, now, cursor.place, cursor.given, inFlight));
    }

    /** Where a subscription goes on, and up to where its events may have been handed over before. */
    private record Cursor(Position place, Position given) {}

    /** Places a subscription whose gateway wants its events later in a group of its own, just before the first of them. */
    void placeApart(PartitionStream stream, SubscriptionRecord subscription, Group group) {
        Lane lane = group.lane;
        if (lane == null) {
            return;
        }
        Position[] place = {group.read(stream.tail())};
        Position given = Position.higher(group.given(), place[0]);
        String gateway = group.key.gateway();
        Awaited inFlight = lane.withdraw(
                each -> each.given != null
                        && each.given.group == group
                        && !each.representative
                        && each.subscriptionId().equals(subscription.id()),
                each -> {
                    if (each.given != null) {
                        place[0] = Position.lower(place[0], each.given.before);
                    }
                    settle(each);
                });
        inFlight.follow(group.awaiting());
        stream.groups().leaveSide(subscription.id(), gateway);
        stream.groups().tidy(group);
        Group alone = stream.groups().placeAlone(subscription, gateway, place[0], given);
        alone.stuck = true;
        alone.await(inFlight);
    }

    /** The lowest place since which changes above this revision count; the tail, if there is none. */
    static Position since(PartitionStream stream, SubscriptionRecord subscription, long revision) {
        return subscription.changes().stream()
                .filter(each -> each.revision() > revision)
                .map(each -> stream.position(each.since()))
                .reduce(stream.tail(), Position::lower);
    }

    private void end(SubscriptionRecord subscription) {
        int dropped = 0;
        Awaited inFlight = new Awaited();
        for (PartitionStream stream : streams) {
            for (String gateway : gateways(subscription)) {
                Group group = stream.groups().of(subscription, gateway);
                dropped += leave(stream, subscription, gateway, group, inFlight);
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

    /** Takes a subscription out of a group, with what waits for it. Returns how many deliveries were withdrawn. */
    int leave(PartitionStream stream, SubscriptionRecord subscription, String gateway, Group group, Awaited inFlight) {
        int[] withdrawn = new int[1];
        inFlight.follow(group.awaiting());
        Lane lane = group.lane;
        if (lane != null && group.hasUnsettled()) {
            Awaited landing = lane.withdraw(
                    each -> each.given != null
                            && each.given.group == group
                            && !each.representative
                            && each.subscriptionId().equals(subscription.id()),
                    each -> {
                        withdrawn[0]++;
                        settle(each);
                    });
            inFlight.follow(landing);
        }
        stream.groups().leaveSide(subscription.id(), gateway);
        stream.groups().tidy(group);
        return withdrawn[0];
    }

    /** A withdrawn delivery is owed no more. */
    private static void settle(PendingDelivery delivery) {
        GivenEvent given = delivery.given;
        if (given != null && !given.voided && !delivery.counted) {
            boolean unused = given.group.settle(given);
        }
    }

    /** Changes are missing from the ring: every record above the applied revision is looked at. */
    private void applyAnew() {
        LOG.atWarn()
                .addKeyValue("partition", sender.partition())
                .addKeyValue("applied", applied)
                .addKeyValue("revision", context.registry().revision())
                .log("too many registry changes since the partition last followed: it compares every subscription");
        dropEnded();
        displaced.clear();
        context.registry().forEach(subscription -> {
            displaced.changed(null, subscription);
            if (subscription.revision() > applied) {
                Awaited inFlight = withdrawFromAllLanes(subscription.id());
                streams.forEach(stream -> placeAnew(stream, subscription, inFlight));
                if (subscription.resync() > applied) {
                    resyncs.order(subscription);
                }
            }
        });
        applied = context.registry().revision();
        context.lanes().forgetProgress();
    }

    /** Where it was is not known: it may have been in any main group, or in the side group it is listed in. */
    private void placeAnew(PartitionStream stream, SubscriptionRecord subscription, Awaited inFlight) {
        boolean created = subscription.created() > applied;
        inFlight.follow(ended.getOrDefault(subscription.id(), new Awaited()));
        Position place = created
                ? stream.position(subscription.start())
                : Position.lower(
                        since(stream, subscription, applied), stream.groups().lowestAcked(each -> true));
        for (Group side : List.copyOf(stream.groups().sides())) {
            if (side.members != null && side.members.containsKey(subscription.id())) {
                place = Position.lower(place, side.acked(stream.tail()));
                inFlight.follow(side.awaiting());
                stream.groups().leaveSide(subscription.id(), side.key.gateway());
            }
        }
        if (created) {
            stream.starts(place);
        }
        place(stream, subscription, place, created ? Position.START : stream.tail(), inFlight);
    }

    private Awaited withdrawFromAllLanes(String subscriptionId) {
        Awaited inFlight = new Awaited();
        for (Lane lane : context.lanes().all()) {
            inFlight.follow(lane.withdraw(
                    each -> each.sender == sender
                            && each.given != null
                            && !each.representative
                            && each.subscriptionId().equals(subscriptionId),
                    RegistryFollower::settle));
        }
        return inFlight;
    }

    private void dropEnded() {
        for (PartitionStream stream : streams) {
            for (Group side : List.copyOf(stream.groups().sides())) {
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
                    ended.computeIfAbsent(id, none -> new Awaited()).follow(withdrawFromAllLanes(id));
                    flows.end(id);
                    stream.groups().leaveSide(id, side.key.gateway());
                }
            }
        }
        for (Lane lane : context.lanes().all()) {
            Awaited unused = lane.withdraw(
                    each -> each.sender == sender
                            && each.given != null
                            && !each.representative
                            && context.registry().find(each.subscriptionId()) == null,
                    RegistryFollower::settle);
        }
    }
}
