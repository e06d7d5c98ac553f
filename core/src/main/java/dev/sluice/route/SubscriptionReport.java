package dev.sluice.route;

import dev.sluice.lane.Flow;
import dev.sluice.lane.GroupKey;
import dev.sluice.lane.Lane;
import dev.sluice.lane.LaneView;
import dev.sluice.model.Position;
import dev.sluice.route.SubscriptionStatus.Batch;
import dev.sluice.route.SubscriptionStatus.Cursor;
import dev.sluice.route.SubscriptionStatus.GroupKind;
import dev.sluice.route.SubscriptionStatus.Standing;
import dev.sluice.subscribe.SubscriptionRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Where one subscription stands in one partition. Made under the partition's lock and within {@code registry.reading}; looks only
 * at the groups of this subscription.
 */
final class SubscriptionReport {
    private final StreamerContext context;
    private final OwnedPartition partition;
    private final Gauge gauge;
    private final ResyncOrders resyncs;

    SubscriptionReport(StreamerContext context, OwnedPartition partition, Gauge gauge, ResyncOrders resyncs) {
        this.context = context;
        this.partition = partition;
        this.gauge = gauge;
        this.resyncs = resyncs;
    }

    /** A partition of which only the reason is known. */
    static Standing unknown(int partition, String why) {
        return new Standing(partition, "", "", GroupKind.UNKNOWN, Optional.empty(), Batch.NONE, false, why);
    }

    List<Standing> of(SubscriptionRecord subscription) {
        int number = partition.partition();
        if (!partition.isPlaced()) {
            return List.of(unknown(number, gauge.trouble().isEmpty() ? "the partition is being opened" : trouble()));
        }
        if (!isPlaced(subscription)) {
            return List.of(unknown(number, notPlaced(subscription)));
        }
        List<Standing> standings = new ArrayList<>();
        boolean ordered =
                resyncs.isOwed(subscription.id()) || number == 0 && subscription.resync() > partition.applied();
        for (PartitionStream stream : partition.streams()) {
            for (GroupKey key : context.router().hearers().groupsOf(subscription)) {
                standings.add(standing(stream, key, subscription, ordered));
            }
            // One RESYNC that was asked for is told once, not in each log.
            ordered = false;
        }
        return standings;
    }

    private boolean isPlaced(SubscriptionRecord subscription) {
        return subscription.created() <= partition.applied() && !subscription.isChangedAbove(partition.applied());
    }

    private String trouble() {
        return "the partition is retried: " + gauge.trouble();
    }

    private String notPlaced(SubscriptionRecord subscription) {
        String what = subscription.created() > partition.applied() ? "it" : "its changed definition";
        return what + " is not placed yet (registry revision " + subscription.revision() + ", applied "
                + partition.applied() + ")";
    }

    private Standing standing(PartitionStream stream, GroupKey key, SubscriptionRecord subscription, boolean ordered) {
        Group side = stream.groups().side(subscription.id(), key.gateway());
        Group group = side == null ? stream.groups().mainIfAny(key) : side;
        Lane lane = context.lanes().serving(key);
        Flow flow = lane == null ? null : partition.flows().find(subscription.id(), lane);
        LaneView view = lane == null ? null : lane.view(partition, flow, key.priority());
        Cursor cursor = cursor(stream, group);
        Batch batch = view == null ? Batch.NONE : batch(view);
        boolean resync = ordered || group != null && (group.telling != null || group.tellsGap());
        String gateway = lane == null ? "" : lane.gatewayId();
        return new Standing(
                partition.partition(),
                stream.log(),
                gateway,
                kind(group),
                Optional.of(cursor),
                batch,
                resync,
                waits(stream, group, key, view, cursor, batch != Batch.NONE || resync));
    }

    private static Batch batch(LaneView lane) {
        if (lane.batch() != null && lane.batch().flying()) {
            return Batch.IN_FLIGHT;
        }
        return lane.batch() != null || lane.burying() ? Batch.RETRY : Batch.NONE;
    }

    private static GroupKind kind(@Nullable Group group) {
        if (group == null || group.isMain()) {
            return GroupKind.MAIN;
        }
        return group.stuck ? GroupKind.STUCK : GroupKind.SIDE;
    }

    /** @param group null: a main group at the tail with everything acknowledged */
    private static Cursor cursor(PartitionStream stream, @Nullable Group group) {
        Position tail = stream.tail();
        Position acked = group == null ? tail : group.acked(tail);
        OptionalInt events =
                stream.recent().covers(acked) ? OptionalInt.of(stream.recent().countAfter(acked)) : OptionalInt.empty();
        return new Cursor(
                acked,
                group == null ? tail : group.read(tail),
                tail,
                events,
                Duration.ofSeconds(Math.max(0, tail.time().t() - acked.time().t())));
    }

    private String waits(
            PartitionStream stream,
            @Nullable Group group,
            GroupKey key,
            @Nullable LaneView lane,
            Cursor cursor,
            boolean pending) {
        if (!gauge.trouble().isEmpty()) {
            return trouble();
        }
        if (cursor.isAtTail() && (group == null || !group.isAwaiting()) && !pending) {
            return lag();
        }
        return new WaitReason(key, context.router().gatewayOf(key)).of(group, lane, stream.tail());
    }

    /** It waits with the whole partition. */
    private String lag() {
        Duration lag = gauge.lag(context.turns().now());
        return lag.compareTo(context.settings().lagThreshold()) > 0
                ? "the partition is " + lag.toSeconds() + " s behind its source"
                : "";
    }
}
