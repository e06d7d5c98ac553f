package dev.sluice.route;

import dev.sluice.lane.Awaited;
import dev.sluice.lane.GroupKey;
import dev.sluice.lane.Lane;
import dev.sluice.lane.PendingDelivery;
import dev.sluice.lane.Sender;
import dev.sluice.model.Position;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Puts subscriptions into the groups of a stream and takes them out, with what waits for them in a lane. For the partition's
 * thread, within {@code registry.reading}.
 */
final class Placement {
    /** Side groups of one home and priority, stuck ones aside; beyond them the nearest two become one. */
    private static final int MOST_SIDES = 8;

    private final StreamerContext context;
    private final Sender sender;
    private final Offering offering;
    private final Audience audience;

    Placement(StreamerContext context, Sender sender, Offering offering, Audience audience) {
        this.context = context;
        this.sender = sender;
        this.offering = offering;
        this.audience = audience;
    }

    Audience audience() {
        return audience;
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

    /**
     * Places a subscription in the group of every gateway that hears it. While something of it is in flight elsewhere it has a
     * group of its own, because its group waits for that: the other gateway may hang.
     */
    void place(
            PartitionStream stream, SubscriptionRecord subscription, Position place, Position given, Awaited inFlight) {
        for (String gateway : audience.shown().of(subscription)) {
            Group group = inFlight.isOver()
                    ? stream.groups().place(subscription, gateway, place, given)
                    : stream.groups().placeAlone(subscription, gateway, place, given);
            group.await(inFlight);
            bound(stream, group.key);
            if (group.isMain()) {
                // A main group at the tail need not be known of: it would cost every turn until its first event.
                stream.groups().tidy(group);
            }
        }
    }

    /** Of too many side groups the nearest two become one, at a place up to which both have settled everything. */
    private void bound(PartitionStream stream, GroupKey key) {
        List<Group> tooMany = nearestOfTooMany(stream.groups(), key);
        if (tooMany != null) {
            Group lower = tooMany.getFirst();
            Group higher = tooMany.getLast();
            Position place = lower.read(stream.tail());
            if (higher.acked(stream.tail()).isBefore(place)) {
                place = Position.lower(higher.acked(stream.tail()), lower.acked(stream.tail()));
                offering.putBack(stream, lower, place);
            }
            offering.putBack(stream, higher, place);
            stream.groups().mergeDown(lower, higher);
        }
    }

    /**
     * The two neighbouring side groups, of the key that has too many, whose places are nearest: the lower, then the higher.
     * Null: no key has too many.
     */
    @Nullable
    private static List<Group> nearestOfTooMany(StreamGroups groups, GroupKey key) {
        Position tail = groups.tail();
        List<Group> same = groups.sides().of(key).stream()
                .filter(each -> !each.stuck && !each.isAwaiting() && !each.isAhead(tail))
                .sorted(Comparator.comparing(each -> each.read(tail)))
                .toList();
        if (same.size() <= MOST_SIDES) {
            return null;
        }
        int nearest = 1;
        long distance = Long.MAX_VALUE;
        for (int k = 1; k < same.size(); k++) {
            long between = same.get(k).read(tail).time().value()
                    - same.get(k - 1).read(tail).time().value();
            if (between < distance) {
                nearest = k;
                distance = between;
            }
        }
        return List.of(same.get(nearest - 1), same.get(nearest));
    }

    /** Places a subscription whose gateway wants its events later in a group of its own, just before the first of them. */
    void placeApart(PartitionStream stream, SubscriptionRecord subscription, Group group) {
        Lane lane = group.lane;
        if (lane == null) {
            return;
        }
        Position[] place = {group.read(stream.tail())};
        Position given = Position.higher(group.given(), group.reached(stream.tail()));
        String gateway = group.key.gateway();
        Awaited inFlight = lane.withdraw(of(subscription, group), each -> {
            GivenEvent of = GivenEvent.of(each);
            place[0] = of == null ? place[0] : Position.lower(place[0], of.before);
            settle(each);
        });
        inFlight.follow(group.awaiting());
        stream.groups().leaveSide(subscription.id(), gateway);
        stream.groups().tidy(group);
        Group alone = stream.groups().placeAlone(subscription, gateway, place[0], given);
        alone.stuck = true;
        alone.await(inFlight);
    }

    /** Takes a subscription out of a group, with what waits for it. Returns how many deliveries were withdrawn. */
    int leave(PartitionStream stream, SubscriptionRecord subscription, String gateway, Group group, Awaited inFlight) {
        int[] withdrawn = new int[1];
        inFlight.follow(group.awaiting());
        Lane lane = group.lane;
        if (lane != null && group.hasUnsettled()) {
            Awaited landing = lane.withdraw(of(subscription, group), each -> {
                withdrawn[0]++;
                settle(each);
            });
            inFlight.follow(landing);
        }
        stream.groups().leaveSide(subscription.id(), gateway);
        stream.groups().tidy(group);
        return withdrawn[0];
    }

    /** The lowest place since which changes above this revision count; the tail, if there is none. */
    static Position since(PartitionStream stream, SubscriptionRecord subscription, long revision) {
        return subscription.changes().stream()
                .filter(each -> each.revision() > revision)
                .map(each -> stream.position(each.since()))
                .reduce(stream.tail(), Position::lower);
    }

    /** Withdraws all deliveries of a subscription, whichever group they are of. */
    Awaited withdrawFromAllLanes(String subscriptionId) {
        Awaited inFlight = new Awaited();
        for (Lane lane : context.lanes().all()) {
            inFlight.follow(lane.withdraw(
                    each -> isOurs(each) && each.subscriptionId().equals(subscriptionId), Placement::settle));
        }
        return inFlight;
    }

    /** Withdraws the deliveries of subscriptions that are not registered any more. */
    void withdrawEnded() {
        for (Lane lane : context.lanes().all()) {
            Awaited unused = lane.withdraw(
                    each -> isOurs(each) && context.registry().find(each.subscriptionId()) == null, Placement::settle);
        }
    }

    private boolean isOurs(PendingDelivery delivery) {
        return delivery.sender == sender && delivery.given != null && !delivery.representative;
    }

    private static Predicate<PendingDelivery> of(SubscriptionRecord subscription, Group group) {
        return each -> GivenEvent.isOf(each, group)
                && !each.representative
                && each.subscriptionId().equals(subscription.id());
    }

    /** A withdrawn delivery is owed no more. */
    private static void settle(PendingDelivery delivery) {
        GivenEvent given = GivenEvent.of(delivery);
        if (given != null && !given.voided && !delivery.counted) {
            boolean unused = given.group.settle(given);
        }
    }
}
