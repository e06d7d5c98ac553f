package dev.sluice.route;

import dev.sluice.feed.EventFeed;
import dev.sluice.feed.FeedEvent;
import dev.sluice.feed.FeedOutOfRangeException;
import dev.sluice.lane.GroupKey;
import dev.sluice.lane.Lane;
import dev.sluice.lane.Sender;
import dev.sluice.model.EventId;
import dev.sluice.model.Fnv1a64;
import dev.sluice.model.Position;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads events for the groups that are behind the tail of a stream: in turns, alternately for the lowest group with room and for
 * the one that waited longest. Every group whose {@code read} lies in what is read takes it. What lies beyond the tail is not
 * offered, so a group that reaches the tail is exactly there. For the partition's thread.
 */
final class CatchUp {
    private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);
    private static final int EVENTS_A_TURN = 1_000;
    private static final int EVENTS_AT_ONCE = 100;
    private static final int TOLD_AT_ONCE = 500;

    private final StreamerContext context;
    private final Sender sender;
    private final Offering offering;
    private final BooleanSupplier follows;
    private final Audience audience;

    /** @param follows applies the registry's changes; false: nothing may be offered yet. Called within {@code reading} */
    CatchUp(StreamerContext context, Sender sender, Offering offering, BooleanSupplier follows, Audience audience) {
        this.context = context;
        this.sender = sender;
        this.offering = offering;
        this.follows = follows;
        this.audience = audience;
    }

    /** Reads once for the groups behind. Returns whether a group moved. */
    boolean turn(PartitionStream stream) {
        if (!stream.groups().hasBehind()) {
            stream.closeCatchUp();
            stream.catchUpTurns().waitForAnswers(false);
            return false;
        }
        if (!stream.catchUpTurns().isTimeToLook(context.turns().nanos())) {
            return false;
        }
        Group group = choose(stream);
        if (group == null) {
            return false;
        }
        group.servedAt = context.turns().nanos();
        Position from = group.read(stream.tail());
        if (stream.recent().covers(from)) {
            offer(stream, stream.recent().after(from), from, stream.tail());
            return from.isBefore(stream.tail());
        }
        try {
            EventFeed.Batch batch = stream.readBehind(from, EVENTS_A_TURN);
            context.counters().reread.add(batch.events().size());
            Position reached = Position.lower(batch.passed(), stream.tail());
            offer(stream, batch.events(), from, reached);
            boolean moved = from.isBefore(reached);
            stream.catchUpTurns().read(moved, context.turns().nanos());
            return moved;
        } catch (FeedOutOfRangeException why) {
            stream.closeCatchUp();
            return tellGap(stream, group, why);
        }
    }

    private @Nullable Group choose(PartitionStream stream) {
        List<Group> ready = new ArrayList<>();
        boolean waits = false;
        for (Group each : stream.groups().behind()) {
            Lane lane = context.lanes().serving(each.key);
            if (lane != null && !each.isAwaiting() && Offering.hasRoomBehind(each, lane, sender)) {
                ready.add(each);
            } else {
                waits |= lane != null && lane.isReachable();
            }
        }
        stream.catchUpTurns().waitForAnswers(waits);
        return stream.catchUpTurns()
                .next(ready, stream.catchUpAt(), stream.tail(), context.turns().nanos());
    }

    /** @param reached everything up to here was read; not behind the tail */
    private void offer(PartitionStream stream, List<FeedEvent> events, Position from, Position reached) {
        Position previous = from;
        for (int first = 0; first < events.size() && previous.isBefore(stream.tail()); first += EVENTS_AT_ONCE) {
            List<FeedEvent> some = events.subList(first, Math.min(events.size(), first + EVENTS_AT_ONCE));
            Position at = previous;
            Position offered = context.registry().reading(() -> offerSome(stream, some, at));
            if (offered == null) {
                return;
            }
            previous = offered;
            if (offered.isBefore(some.getLast().position())) {
                break;
            }
        }
        reach(stream, previous, Position.lower(reached, stream.tail()));
    }

    /** Returns the last event that was offered; null: nothing may be offered yet. */
    private @Nullable Position offerSome(PartitionStream stream, List<FeedEvent> events, Position from) {
        if (!follows.getAsBoolean()) {
            return null;
        }
        List<Group> behind = within(stream, from, events.getLast().position());
        Position previous = from;
        for (FeedEvent event : events) {
            if (stream.tail().isBefore(event.position())) {
                break;
            }
            offering.behind(stream, event, previous, behind);
            previous = event.position();
        }
        return previous;
    }

    /** The groups behind that an event after {@code from} and up to {@code to} may extend: the others need not be asked. */
    private static List<Group> within(PartitionStream stream, Position from, Position to) {
        List<Group> found = new ArrayList<>();
        for (Group each : stream.groups().behind()) {
            Position read = each.read(stream.tail());
            if (from.compareTo(read) <= 0 && read.isBefore(to)) {
                found.add(each);
            }
        }
        return found;
    }

    /** The groups that have read everything up to {@code last} have nothing to read before {@code reached}. */
    private void reach(PartitionStream stream, Position last, Position reached) {
        for (Group group : stream.groups().behind()) {
            Position read = group.read(stream.tail());
            if (last.compareTo(read) <= 0
                    && read.compareTo(reached) <= 0
                    && !group.isAwaiting()
                    && group.telling == null) {
                group.readOn(reached);
                if (reached.compareTo(stream.tail()) >= 0) {
                    context.counters().caughtUp.increment();
                    stream.groups().reachTail(group);
                } else {
                    stream.groups().tidy(group);
                }
            }
        }
    }

    /** The events a group needs are no longer kept: its members are told, then it goes on with the oldest there is. */
    private boolean tellGap(PartitionStream stream, Group group, FeedOutOfRangeException why) {
        return context.registry().reading(() -> follows.getAsBoolean() && tellMembers(stream, group, why));
    }

    private boolean tellMembers(PartitionStream stream, Group group, FeedOutOfRangeException why) {
        Lane lane = context.lanes().serving(group.key);
        // A tail that has lost events, too, skips them first: until then the group could not go on behind the gap, and
        // would be
        // told of it again.
        if (lane == null
                || stream.tail().isBefore(why.oldest())
                || group.isAtTail()
                || group.isAwaiting()
                || !stream.sent().coversOrAsks(why.oldest().time())) {
            return false;
        }
        GapTelling telling = group.telling;
        if (telling == null || telling.oldest.compareTo(why.oldest()) != 0) {
            telling = new GapTelling(
                    why.oldest(), telling == null ? members(stream, group, why.oldest()) : telling.subscriptionIds);
            group.telling = telling;
            context.counters().gaps.increment();
            LOG.atError()
                    .addKeyValue("partition", sender.partition())
                    .addKeyValue("group", group.key)
                    .addKeyValue("subscriptions", telling.subscriptionIds.size())
                    .addKeyValue("reason", why.getMessage())
                    .log("a group is behind what the log keeps: its subscriptions are told to resync");
        }
        EventId id = new EventId(
                telling.oldest.time(),
                Fnv1a64.hash("resync/" + stream.id() + "/" + group.key.text() + "/" + telling.oldest));
        if (offering.tellGap(
                stream,
                group,
                lane,
                telling,
                ResyncOrders.event(id, stream.log(), context.turns().now().toEpochMilli()),
                TOLD_AT_ONCE)) {
            group.telling = null;
            group.readOn(Position.lower(Position.higher(why.oldest(), group.read(stream.tail())), stream.tail()));
            if (group.read(stream.tail()).compareTo(stream.tail()) >= 0) {
                stream.groups().reachTail(group);
            }
        }
        return true;
    }

    /** Members of the group that were owed something before the oldest event that is kept. */
    private List<String> members(PartitionStream stream, Group group, Position oldest) {
        List<String> ids = new ArrayList<>();
        if (group.members != null) {
            ids.addAll(group.members.keySet());
            ids.removeIf(id -> {
                SubscriptionRecord found = context.registry().find(id);
                return found == null || !stream.position(found.start()).isBefore(oldest);
            });
            return ids;
        }
        context.registry().forEachOf(group.key.home(), each -> {
            boolean ofGroup = GroupKey.of(each, group.key.gateway()).equals(group.key)
                    && stream.groups().side(each.id(), group.key.gateway()) == null
                    && (!group.key.isBroadcast()
                            || audience.shown().audience(each.id()).contains(group.key.gateway()));
            if (ofGroup && stream.position(each.start()).isBefore(oldest)) {
                ids.add(each.id());
            }
        });
        return ids;
    }
}
