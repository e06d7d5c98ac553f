package dev.sluice.route;

import dev.sluice.lane.Awaited;
import dev.sluice.lane.GroupKey;
import dev.sluice.model.Position;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The groups of one stream that are broadcast, one for each gateway. A gateway that joins begins at the lowest {@code acked} of
 * the others, those away included; the last one's place stays in a group without a gateway. For the partition's thread.
 */
final class BroadcastGroups {
    private final Audience audience;
    private final Offering offering;
    private final PartitionStream stream;
    private final Set<String> gateways = new HashSet<>();

    /** Deliveries in flight to gateways that have left: a gateway that comes back waits for them. */
    private final Map<String, Awaited> left = new HashMap<>();

    /** @param saved the gateways that had a group of their own when the position was saved; all others join anew */
    BroadcastGroups(Audience audience, Offering offering, PartitionStream stream, Set<String> saved) {
        this.audience = audience;
        this.offering = offering;
        this.stream = stream;
        this.gateways.addAll(saved);
    }

    private List<Group> ofBroadcasts() {
        return stream.groups().all().filter(each -> each.key.isBroadcast()).toList();
    }

    /** Up to where gateways that have left may have been given events. */
    private final Map<String, Position> given = new HashMap<>();

    /** Makes the groups fit the gateways that are known now. */
    void follow(long now) {
        Set<String> known = new HashSet<>(audience.shown().broadcastGateways());
        if (known.equals(gateways)) {
            return;
        }
        gateways.stream().filter(each -> !known.contains(each)).forEach(each -> given.put(each, stream.tail()));
        left.values().removeIf(Awaited::isOver);
        Position lowest = stream.groups().lowestAcked(group -> group.key.isBroadcast());
        if (audience.shown().limitsBroadcasts() || known.isEmpty()) {
            ofBroadcasts().forEach(this::drop);
            beginAt(known.isEmpty() ? Set.of("") : known, lowest, now);
        } else {
            for (Group group : ofBroadcasts()) {
                if (!known.contains(group.key.gateway())) {
                    drop(group);
                }
            }
            Set<String> joining = new HashSet<>(known);
            joining.removeAll(gateways);
            beginAt(joining, lowest, now);
        }
        gateways.clear();
        gateways.addAll(known);
    }

    private void drop(Group group) {
        left.computeIfAbsent(group.key.gateway(), none -> new Awaited())
                .follow(offering.putBack(stream, group, group.acked(stream.tail())));
        stream.groups().remove(group);
    }

    private void beginAt(Set<String> joining, Position place, long now) {
        for (String gateway : joining) {
            Group main = stream.groups().main(GroupKey.broadcast(gateway));
            Awaited inFlight = left.remove(gateway);
            if (inFlight != null) {
                main.await(inFlight);
            }
            Position before = given.remove(gateway);
            if (place.isBefore(stream.tail()) && main.isAtTail()) {
                if (audience.shown().limitsBroadcasts()) {
                    main.raiseGiven(stream.tail());
                } else if (before != null) {
                    main.raiseGiven(before);
                }
                main.fallBehind(place, now);
            }
        }
    }
}
