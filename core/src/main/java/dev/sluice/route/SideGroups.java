package dev.sluice.route;

import dev.sluice.lane.GroupKey;
import dev.sluice.model.Priority;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The side groups of one stream, by home and priority, and by their members. For the partition's thread. */
final class SideGroups {
    private final Map<GroupKey, List<Group>> byKey = new LinkedHashMap<>();
    private final Map<String, Group> byMember = new HashMap<>();

    boolean isEmpty() {
        return byKey.isEmpty();
    }

    /** Returns all side groups, as they are now. */
    List<Group> all() {
        return byKey.values().stream().flatMap(List::stream).toList();
    }

    /** Returns the side groups of one home and priority, as they are now. */
    List<Group> of(GroupKey key) {
        return List.copyOf(byKey.getOrDefault(key, List.of()));
    }

    /** The side group that a subscription is in; null: it is in its main group. */
    @Nullable
    Group withMember(String subscriptionId, String gateway) {
        return byMember.get(member(subscriptionId, gateway));
    }

    private static String member(String subscriptionId, String gateway) {
        return gateway.isEmpty() ? subscriptionId : subscriptionId + '\0' + gateway;
    }

    /** Returns the ids of the members of a home's side groups, so many at most. */
    List<String> members(Home home, int most) {
        return Arrays.stream(Priority.values())
                .flatMap(priority -> of(new GroupKey(home, "", priority)).stream())
                .flatMap(side -> side.membersById().keySet().stream())
                .limit(most)
                .toList();
    }

    void add(Group side) {
        byKey.computeIfAbsent(side.key, none -> new ArrayList<>()).add(side);
    }

    void join(Group side, SubscriptionRecord subscription) {
        side.membersById().put(subscription.id(), subscription.created());
        byMember.put(member(subscription.id(), side.key.gateway()), side);
    }

    /** Takes a subscription out of its side group. Returns the group; null: it was in none. */
    @Nullable
    Group leave(String subscriptionId, String gateway) {
        Group side = byMember.remove(member(subscriptionId, gateway));
        if (side != null) {
            side.membersById().remove(subscriptionId);
        }
        return side;
    }

    /** The members of one are in the other from now on, which has taken them over; the first goes away. */
    void move(Group from, Group to) {
        from.membersById().keySet().forEach(id -> byMember.put(member(id, from.key.gateway()), to));
        remove(from);
    }

    /** Its members are in their main group from now on. */
    void dissolve(Group side) {
        side.membersById().keySet().forEach(id -> byMember.remove(member(id, side.key.gateway()), side));
        remove(side);
    }

    /** Removes a group without members. */
    void remove(Group side) {
        List<Group> same = byKey.get(side.key);
        if (same != null && same.remove(side) && same.isEmpty()) {
            byKey.remove(side.key);
        }
    }
}
