package dev.sluice.route;

import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.lane.GroupKey;
import dev.sluice.lane.Lane;
import dev.sluice.lane.PendingDelivery;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes what lanes and gateways have told a partition: settles deliveries, places stuck subscriptions apart, and has groups
 * follow their lanes. For the partition's thread, under the partition's lock.
 */
final class ArrivedHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ArrivedHandler.class);

    private final StreamerContext context;
    private final Arrived arrived;
    private final PartitionStreams streams;
    private final Offering offering;
    private final RegistryFollower follower;
    private final ResyncOrders resyncs;
    private final PositionSaver saver;
    private final DeletesForMany deletesForMany;

    ArrivedHandler(StreamerContext context, PartitionParts parts) {
        this.context = context;
        this.arrived = parts.arrived();
        this.streams = parts.streams();
        this.offering = parts.offering();
        this.follower = parts.follower();
        this.resyncs = parts.resyncs();
        this.saver = parts.saver();
        this.deletesForMany = new DeletesForMany(context.registry());
    }

    void turn() {
        List<PendingDelivery> settled = arrived.takeSettled();
        try {
            settle(settled);
        } catch (Throwable inTheMiddle) {
            // What was counted already is not counted twice.
            boolean unused = arrived.settled(settled);
            throw inTheMiddle;
        }
        if (!streams.isOpened()) {
            return;
        }
        arrived.takeStuck().forEach(this::placeApart);
        try {
            if (arrived.takeLanesChanged()) {
                followLanes();
            }
        } catch (Throwable inTheMiddle) {
            arrived.lanesChanged();
            throw inTheMiddle;
        }
    }

    private void settle(List<PendingDelivery> settled) {
        for (PendingDelivery each : settled) {
            if (each.representative && !each.counted && !isVoid(each)) {
                deletesForMany.add(each);
            } else {
                settle(each);
            }
        }
        settleDeletes(deletesForMany.take(ArrivedHandler::isVoid));
        if (streams.isOpened() && deletesForMany.areDue()) {
            boolean unused = context.registry().reading(follower::follow);
            settleDeletes(deletesForMany.takeDue(follower.applied()));
        }
        saver.settled(settled.size());
    }

    private void settleDeletes(List<PendingDelivery> taken) {
        try {
            taken.forEach(this::settle);
        } catch (Throwable inTheMiddle) {
            boolean unused = deletesForMany.notKnown(taken);
            throw inTheMiddle;
        }
    }

    /** Whether a delivery that stands for many counts for no cursor any more: it lands at once. */
    private static boolean isVoid(PendingDelivery delivery) {
        GivenEvent given = GivenEvent.of(delivery);
        return delivery.withdrawn || given == null || given.voided;
    }

    /**
     * Asks the registry's store which changes the deletes that stand for many have to wait for. Not under the partition's lock:
     * the store may be waited for. Returns whether there were such deletes: another {@link #turn} may settle them.
     */
    boolean askForDeletes(OwnedPartition partition) {
        List<PendingDelivery> acknowledged = partition.locked(deletesForMany::takeArrived);
        if (acknowledged.isEmpty()) {
            return false;
        }
        boolean known = false;
        try {
            long stored = context.registry().storedRevision();
            known = partition.locked(() -> deletesForMany.stored(stored, acknowledged));
        } catch (StoreUnavailableException away) {
            // It is asked again at the next turn; until then these deletes hold their cursors, and nothing else waits.
            LOG.debug("the registry's store does not answer", away);
        } finally {
            if (!known) {
                partition.locked(() -> deletesForMany.notKnown(acknowledged));
            }
        }
        return known;
    }

    private void settle(PendingDelivery delivery) {
        if (delivery.counted) {
            return;
        }
        delivery.counted = true;
        if (delivery.awaited != null) {
            delivery.awaited.inFlight--;
        }
        GivenEvent given = GivenEvent.of(delivery);
        if (given == null) {
            resyncs.settled(delivery);
            return;
        }
        if (delivery.withdrawn || given.voided) {
            return;
        }
        Group group = given.group;
        group.stuck = false;
        if (group.settle(given)) {
            group.stream.tidy(group);
        }
    }

    /** A subscription that is stuck leaves its group: the others go on without it. */
    private void placeApart(PendingDelivery delivery) {
        GivenEvent given = GivenEvent.of(delivery);
        if (given == null || given.voided || delivery.withdrawn || delivery.counted || given.group.stuck) {
            return;
        }
        if (delivery.representative) {
            tellEach(given);
            return;
        }
        long stuck = streams.all().stream()
                .flatMap(stream -> stream.groups().sides().all().stream())
                .filter(group -> group.stuck)
                .count();
        var found = context.registry().find(delivery.subscriptionId());
        if (found == null || stuck >= context.settings().lanes().stuck().most()) {
            return;
        }
        for (PartitionStream stream : streams.all()) {
            Group side = stream.groups().side(found.id(), given.group.key.gateway());
            if (stream.groups() == given.group.stream && (side == null ? given.group.isMain() : side == given.group)) {
                follower.placement().placeApart(stream, found, given.group);
            }
        }
    }

    /** A delete that stands for many is wanted later, perhaps because of one of them: each is told by itself. */
    private void tellEach(GivenEvent given) {
        Group group = given.group;
        for (PartitionStream stream : streams.all()) {
            if (stream.groups() == group.stream) {
                group.stream.tellEach(group.key.home(), given.position);
                offering.putBack(stream, group, group.acked(stream.tail()));
            }
        }
    }

    private void followLanes() {
        long now = context.turns().nanos();
        follower.placement().audience().follow();
        streams.broadcasts().forEach(each -> each.follow(now));
        for (PartitionStream stream : streams.all()) {
            stream.groups().forEach(group -> followLane(stream, group));
            stream.catchUpTurns().lookNow();
        }
        boolean unused = context.registry().reading(() -> {
            resyncs.lanesChanged();
            return dropEmpty();
        });
    }

    /** Rule 5: another lane serves the group; no cursor moves, and unsettled matches go back for the new lane. */
    private void followLane(PartitionStream stream, Group group) {
        Lane serving = context.lanes().serving(group.key);
        if (group.lane != null && group.lane != serving) {
            offering.putBack(stream, group, group.acked(stream.tail()));
        }
    }

    /**
     * Removes main groups that no gateway serves and no subscription belongs to. Only with every registry change applied:
     * a subscription that has moved is placed by the group it was in.
     */
    private boolean dropEmpty() {
        if (follower.follow()) {
            for (PartitionStream stream : streams.all()) {
                stream.groups().forEach(group -> {
                    if (isUnserved(group) && !hasMembers(group)) {
                        stream.groups().remove(group);
                    }
                });
            }
        }
        return true;
    }

    private boolean isUnserved(Group group) {
        return group.isMain()
                && !group.isAtTail()
                && !group.key.isBroadcast()
                && context.lanes().serving(group.key) == null;
    }

    private boolean hasMembers(Group main) {
        boolean[] found = new boolean[1];
        context.registry()
                .forEachOf(
                        main.key.home(),
                        each -> found[0] |= GroupKey.of(each, "").equals(main.key));
        return found[0];
    }
}
