package dev.sluice.route;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.feed.FeedEvent;
import dev.sluice.lane.Awaited;
import dev.sluice.lane.Flow;
import dev.sluice.lane.Flows;
import dev.sluice.lane.Lane;
import dev.sluice.lane.PendingDelivery;
import dev.sluice.lane.Sender;
import dev.sluice.match.MatchKind;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Operation;
import dev.sluice.model.Position;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers events to the groups whose {@code read} they extend, at the tail and behind it alike: an event is matched once; a group
 * without a match reads on in any case; a group with matches needs room in its lane, and without room its {@code read} stays.
 * For the partition's thread, within {@code registry.reading}.
 */
final class Offering {
    private static final Logger LOG = LoggerFactory.getLogger(Offering.class);

    private final StreamerContext context;
    private final Sender sender;
    private final Flows flows;
    private final Gathering gathering;
    private final Set<Lane> filled = new LinkedHashSet<>();

    Offering(StreamerContext context, Sender sender, Flows flows, Displaced displaced, Audience audience) {
        this.context = context;
        this.sender = sender;
        this.flows = flows;
        this.gathering = new Gathering(context, displaced, audience);
    }

    /** Offers an event to every group that is at the tail. */
    void atTail(PartitionStream stream, FeedEvent event) {
        Position before = stream.tail();
        context.counters().events.increment();
        if (event.event().operation() == Operation.RESYNC) {
            gapAnnounced(event.event());
        }
        try {
            int matches = gathering.gather(stream, event, Group::isAtTail, true);
            context.counters().matches.add(matches);
            OutgoingEvent outgoing = new OutgoingEvent(event.event());
            for (Group group : gathering.groups()) {
                Lane lane = context.lanes().serving(group.key);
                Lane.Room room = roomAtTail(group, lane);
                if (group.wasHanded(event.position())) {
                    continue;
                }
                if (lane != null && room == Lane.Room.YES) {
                    give(stream, group, lane, before, event, outgoing);
                } else {
                    fallBehind(group, before, room, lane);
                    group.oldestMissed = event.event().timestamp();
                }
            }
        } finally {
            gathering.forget();
        }
        stream.offered(event);
    }

    private Lane.Room roomAtTail(Group group, @Nullable Lane lane) {
        if (lane == null || group.isAwaiting() || group.isLeaving(lane)) {
            return Lane.Room.UNREACHABLE;
        }
        if (group.stuck && group.hasUnsettled()) {
            return Lane.Room.HARD;
        }
        return lane.room(group.key.priority(), sender);
    }

    private void fallBehind(Group group, Position before, Lane.Room why, @Nullable Lane lane) {
        group.fallBehind(before, context.turns().nanos());
        context.counters().fellBehind(lane == null ? "" : lane.gatewayId(), why);
        LOG.atInfo()
                .addKeyValue("partition", sender.partition())
                .addKeyValue("group", group.key)
                .addKeyValue("why", why)
                .log("group falls behind: it goes on from its position in the log when its lane has room");
    }

    /**
     * Offers an event to the groups behind the tail that have read up to the event before it.
     *
     * @param previous the place behind which the event directly follows
     */
    void behind(PartitionStream stream, FeedEvent event, Position previous, List<Group> behind) {
        Predicate<Group> extended = group -> !group.isAtTail()
                && previous.compareTo(group.read(stream.tail())) <= 0
                && group.read(stream.tail()).isBefore(event.position())
                && group.telling == null
                && !group.isAwaiting();
        List<Group> riding = new ArrayList<>();
        for (Group group : behind) {
            if (extended.test(group)) {
                riding.add(group);
            }
        }
        if (riding.isEmpty()) {
            return;
        }
        Set<Group> withoutRoom = Set.of();
        try {
            int unused = gathering.gather(stream, event, extended, false);
            OutgoingEvent outgoing = new OutgoingEvent(event.event());
            for (Group group : gathering.groups()) {
                Lane lane = context.lanes().serving(group.key);
                if (group.wasHanded(event.position())) {
                    continue;
                }
                if (lane != null && hasRoomBehind(group, lane, sender)) {
                    give(stream, group, lane, group.read(stream.tail()), event, outgoing);
                } else {
                    withoutRoom = withoutRoom.isEmpty() ? new LinkedHashSet<>() : withoutRoom;
                    withoutRoom.add(group);
                }
            }
        } finally {
            gathering.forget();
        }
        for (Group group : riding) {
            group.oldestMissed = event.event().timestamp();
            if (!withoutRoom.contains(group)) {
                group.readOn(event.position());
            }
        }
    }

    /** Whether a group behind the tail may be given something now. */
    static boolean hasRoomBehind(Group group, Lane lane, Sender sender) {
        return !(group.stuck && group.hasUnsettled())
                && !group.isLeaving(lane)
                && lane.hasRoomToCatchUp(group.key.priority(), sender);
    }

    private void give(
            PartitionStream stream, Group group, Lane lane, Position before, FeedEvent event, OutgoingEvent outgoing) {
        Position position = event.position();
        boolean again = mayHaveHad(stream, group, position);
        boolean gap = event.event().operation() == Operation.RESYNC;
        GivenEvent given = new GivenEvent(group, before, position, gap);
        List<PendingDelivery> deliveries = new ArrayList<>(group.gathered.size());
        for (Match match : group.gathered) {
            EventType type = type(match.kind(), event.event());
            boolean representative = match.kind() == MatchKind.UNKNOWN;
            deliveries.add(delivery(
                    group,
                    lane,
                    given,
                    match.subscription(),
                    new PendingDelivery.Content(type, outgoing, again, representative, match.except())));
        }
        hand(stream, group, lane, given, deliveries);
        stream.sent().handed(position.time());
        context.counters().routed.add(deliveries.size());
    }

    /** Whether a gateway may have had the event: from an owner before, or from this group before it was put back. */
    private static boolean mayHaveHad(PartitionStream stream, Group group, Position position) {
        return stream.mayHaveBeenSent(position) || position.compareTo(group.given()) <= 0;
    }

    private PendingDelivery delivery(
            Group group,
            Lane lane,
            @Nullable GivenEvent given,
            SubscriptionRecord subscription,
            PendingDelivery.Content content) {
        Flow flow = flows.of(subscription.id(), lane);
        return new PendingDelivery(
                        sender,
                        given,
                        content.representative() ? flow.apart() : flow,
                        group.key.priority(),
                        content,
                        null,
                        context.turns().nanos())
                .of(subscription)
                .introducing(
                        group.key.isBroadcast()
                                ? null
                                : context.router().foreign(subscription.definition(), lane.gatewayId()));
    }

    /** Puts the deliveries of one event into the lane. Whatever fails, the group goes back to what is settled. */
    private void hand(
            PartitionStream stream, Group group, Lane lane, GivenEvent given, List<PendingDelivery> deliveries) {
        given.outstanding = deliveries.size();
        group.lane = lane;
        group.add(given);
        try {
            lane.add(deliveries);
            filled.add(lane);
        } catch (Throwable inTheMiddle) {
            putBack(stream, group, group.acked(stream.tail()));
            throw inTheMiddle;
        }
    }

    /**
     * Puts a group back: what is queued for it is withdrawn, and nothing is offered while something of it is in flight, which is
     * returned.
     */
    Awaited putBack(PartitionStream stream, Group group, Position place) {
        Lane lane = group.lane;
        Awaited inFlight =
                lane == null ? new Awaited() : lane.withdraw(each -> GivenEvent.isOf(each, group), each -> {});
        group.lane = null;
        group.putBack(place, stream.tail(), inFlight, context.turns().nanos());
        if (lane != null) {
            filled.add(lane);
        }
        return inFlight;
    }

    /** Tells members of a group that their events are no longer kept. Returns whether all of them have been told now. */
    boolean tellGap(PartitionStream stream, Group group, Lane lane, GapTelling telling, ChangeEvent resync, int most) {
        GivenEvent given = new GivenEvent(group, group.read(stream.tail()), telling.oldest, true);
        List<PendingDelivery> deliveries = new ArrayList<>();
        OutgoingEvent outgoing = new OutgoingEvent(resync);
        boolean again = mayHaveHad(stream, group, telling.oldest);
        while (deliveries.size() < most && !telling.subscriptionIds.isEmpty()) {
            SubscriptionRecord found = context.registry().find(telling.subscriptionIds.removeFirst());
            if (found != null) {
                deliveries.add(delivery(
                        group,
                        lane,
                        given,
                        found,
                        new PendingDelivery.Content(EventType.RESYNC, outgoing, again, false)));
            }
        }
        if (!deliveries.isEmpty()) {
            hand(stream, group, lane, given, deliveries);
            stream.sent().handed(telling.oldest.time());
            context.counters().resyncs.add(deliveries.size());
        }
        return telling.subscriptionIds.isEmpty();
    }

    private static EventType type(MatchKind kind, ChangeEvent event) {
        return switch (kind) {
            case ENTER -> EventType.ENTER;
            case LEAVE -> EventType.LEAVE;
            case EXACT, UNKNOWN, POSSIBLE, CONTROL -> EventType.of(event.operation());
        };
    }

    /** The lanes that got something since this was last asked; they are to be pumped. */
    List<Lane> takeFilled() {
        List<Lane> lanes = List.copyOf(filled);
        filled.clear();
        return lanes;
    }

    private void gapAnnounced(ChangeEvent event) {
        context.counters().gaps.increment();
        LOG.atError()
                .addKeyValue("partition", sender.partition())
                .addKeyValue("event", event.id())
                .addKeyValue("collection", event.collection())
                .log("changes are missing: every subscription concerned is told to resync");
    }
}
