package dev.sluice.route;

import dev.sluice.lane.GroupKey;
import dev.sluice.model.Position;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The delivery groups of one stream: a main group for each home and priority, and side groups for the few subscriptions that
 * stand elsewhere. A main group that nothing is known of stands at the tail with everything settled, and exists only while
 * that is not so. For the partition's thread.
 */
final class StreamGroups {
    private final Map<GroupKey, Group> mains = new LinkedHashMap<>();
    private final SideGroups sides = new SideGroups();

    /** The groups whose {@code read} is not the tail's. */
    private final Set<Group> behind = new LinkedHashSet<>();

    /** Up to here, a delete that could stand for many is told to each subscription of a home. */
    private final Map<Home, Position> toldEach = new HashMap<>();

    private final CatchUpTurns catchUpTurns;
    private Position tail;

    StreamGroups(Position tail, CatchUpTurns catchUpTurns) {
        this.tail = tail;
        this.catchUpTurns = catchUpTurns;
    }

    /** Everything up to here was read. */
    Position tail() {
        return tail;
    }

    /** Moves the tail, and with it the {@code read} of every group that is there. */
    void moveTail(Position to) {
        tail = Position.higher(tail, to);
    }

    /** Puts the tail where it is in another log. */
    void replaceTail(Position to) {
        toldEach.clear();
        tail = to;
    }

    void tellEach(Home home, Position upTo) {
        toldEach.merge(home, upTo, Position::higher);
    }

    boolean tellsEach(Home home, Position event) {
        Position upTo = toldEach.get(home);
        return upTo != null && event.compareTo(upTo) <= 0;
    }

    Stream<Group> all() {
        return Stream.concat(mains.values().stream(), sides.all().stream());
    }

    List<Group> behind() {
        return List.copyOf(behind);
    }

    boolean hasBehind() {
        return !behind.isEmpty();
    }

    /** The group does not follow the tail. */
    void isBehind(Group group) {
        behind.add(group);
        catchUpTurns.lookNow();
    }

    SideGroups sides() {
        return sides;
    }

    /** The group of a subscription. */
    Group of(SubscriptionRecord subscription, String gateway) {
        Group side = sides.isEmpty() ? null : side(subscription.id(), gateway);
        return side != null ? side : main(GroupKey.of(subscription, gateway));
    }

    /** The side group that a subscription is in; null: it is in its main group. */
    @Nullable
    Group side(String subscriptionId, String gateway) {
        return sides.withMember(subscriptionId, gateway);
    }

    Group main(GroupKey key) {
        return mains.computeIfAbsent(key, each -> Group.main(this, each));
    }

    @Nullable
    Group mainIfAny(GroupKey key) {
        return mains.get(key);
    }

    /** Where the main group of a key is read; the tail, if there is none. */
    private Position mainRead(GroupKey key) {
        Group main = mains.get(key);
        return main == null ? tail : main.reached(tail);
    }

    /**
     * Places a subscription that is in no side group: in its main group if that is not ahead of the place, else in the side
     * group with the highest {@code read} at or before it, else in one of its own. Returns its group.
     *
     * @param given up to here its events may have been handed over before
     */
    Group place(SubscriptionRecord subscription, String gateway, Position place, Position given) {
        GroupKey key = GroupKey.of(subscription, gateway);
        if (place.compareTo(mainRead(key)) >= 0) {
            Group main = main(key);
            main.raiseGiven(given);
            tellToo(main, subscription);
            return main;
        }
        Group best = null;
        for (Group each : sides.of(key)) {
            if (!each.stuck
                    && !each.isAwaiting()
                    && each.reached(tail).compareTo(place) <= 0
                    && (best == null || best.read(tail).isBefore(each.read(tail)))) {
                best = each;
            }
        }
        return join(best == null ? newSide(key, place) : best, subscription, given);
    }

    /** Places a subscription in a side group of its own. */
    Group placeAlone(SubscriptionRecord subscription, String gateway, Position place, Position given) {
        Position at = Position.lower(place, tail);
        return join(newSide(GroupKey.of(subscription, gateway), at), subscription, given);
    }

    private Group newSide(GroupKey key, Position place) {
        Group side = Group.side(this, key, place);
        sides.add(side);
        isBehind(side);
        return side;
    }

    private Group join(Group side, SubscriptionRecord subscription, Position given) {
        side.raiseGiven(given);
        tellToo(side, subscription);
        sides.join(side, subscription);
        return side;
    }

    /** A group whose members are being told of missing events tells a new member, too. */
    private static void tellToo(Group group, SubscriptionRecord subscription) {
        if (group.telling != null) {
            group.telling.subscriptionIds.addLast(subscription.id());
        }
    }

    /** Takes a subscription out of its side group, if it is in one. An empty group goes away. */
    void leaveSide(String subscriptionId, String gateway) {
        Group side = sides.leave(subscriptionId, gateway);
        if (side != null && side.membersById().isEmpty()) {
            sides.remove(side);
            behind.remove(side);
        }
    }

    /** The group is where the tail is. */
    void reachTail(Group group) {
        group.reachTail();
        behind.remove(group);
        tidy(group);
    }

    /** Removes groups that need not be known of, and joins those that stand at the same place. */
    void tidy(Group group) {
        if (group.isMain()) {
            if (group.isAtTail()
                    && !group.hasUnsettled()
                    && !group.isAwaiting()
                    && group.given().compareTo(tail) <= 0
                    && !group.isAhead(tail)) {
                mains.remove(group.key, group);
            }
            return;
        }
        Group main = mains.get(group.key);
        if (group.isAwaiting() || group.stuck || group.isAhead(tail) || main != null && main.isAhead(tail)) {
            return;
        }
        Position mainAcked = main == null ? tail : main.acked(tail);
        if (group.read(tail).compareTo(mainRead(group.key)) == 0
                && group.isAtTail() == (main == null || main.isAtTail())
                && group.acked(tail).compareTo(mainAcked) >= 0) {
            Group into = main == null ? main(group.key) : main;
            into.absorb(group);
            dissolve(group);
            return;
        }
        for (Group each : sides.of(group.key)) {
            if (each != group
                    && !each.stuck
                    && !each.isAwaiting()
                    && !each.isAhead(tail)
                    && each.isAtTail() == group.isAtTail()
                    && each.read(tail).compareTo(group.read(tail)) == 0) {
                mergeDown(each, group);
                return;
            }
        }
    }

    /** Its members are in their main group from now on. */
    private void dissolve(Group side) {
        sides.dissolve(side);
        behind.remove(side);
    }

    /** The members of the higher group go on with the lower one; both stand at the same place. */
    void mergeDown(Group lower, Group higher) {
        lower.absorb(higher);
        sides.move(higher, lower);
        behind.remove(higher);
    }

    /** Removes a group with everything in it. */
    void remove(Group group) {
        if (group.isMain()) {
            mains.remove(group.key, group);
            behind.remove(group);
        } else {
            dissolve(group);
        }
    }

    /** The lowest place up to which the main groups of these keys have settled everything; the tail, if there is none. */
    Position lowestMain(Collection<GroupKey> keys) {
        Position lowest = tail;
        for (GroupKey key : keys) {
            Group main = mains.get(key);
            lowest = main == null ? lowest : Position.lower(lowest, main.acked(tail));
        }
        return lowest;
    }

    /** The lowest place up to which every group of these keys has settled everything; the tail, if there is none. */
    Position lowestAcked(Collection<GroupKey> keys) {
        Position lowest = lowestMain(keys);
        for (Group each : sides.isEmpty() ? List.<Group>of() : sides.all()) {
            lowest = keys.contains(each.key) ? Position.lower(lowest, each.acked(tail)) : lowest;
        }
        return lowest;
    }

    /** The lowest place up to which every group that is meant has settled everything; the tail, if there is none. */
    Position lowestAcked(Predicate<Group> which) {
        return all().filter(which).map(group -> group.acked(tail)).reduce(tail, Position::lower);
    }

    void forEach(Consumer<Group> action) {
        all().toList().forEach(action);
    }
}
