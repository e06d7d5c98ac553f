package dev.sluice.route;

import dev.sluice.lane.GroupKey;
import dev.sluice.lane.Lane;
import dev.sluice.lane.LaneStatus;
import dev.sluice.model.Position;
import dev.sluice.route.StreamerStatus.Health;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Lag, rate, last error and groups behind of one partition, for status reports. Made under the partition's lock. */
final class PartitionReport {
    private final StreamerStatus.OfPartition status;
    private final Map<GroupKey, List<LaneStatus.Behind>> behind = new HashMap<>();
    private final StreamerContext context;

    /** @param knowsResyncs no RESYNC that was asked for is outstanding */
    PartitionReport(
            OwnedPartition partition,
            StreamerContext context,
            Gauge gauge,
            List<PartitionStream> streams,
            boolean knowsResyncs) {
        this.context = context;
        boolean stale = !knowsResyncs;
        int recent = 0;
        long unsettled = 0;
        for (PartitionStream stream : streams) {
            recent += stream.recent().size();
            for (Group group : stream.groups().all().toList()) {
                stale |= group.tellsGap() || group.telling != null;
                unsettled += group.unsettled();
                if (!group.isAtTail()) {
                    behind.computeIfAbsent(group.key, none -> new ArrayList<>()).add(behind(partition, stream, group));
                }
            }
        }
        Duration lag = gauge.lag(context.turns().now());
        Health health = health(partition, gauge, stale, lag);
        this.status = new StreamerStatus.OfPartition(
                partition.partition(),
                health,
                lag,
                gauge.rate(),
                gauge.lastEvent(),
                recent,
                unsettled,
                why(health, partition, gauge, lag));
    }

    StreamerStatus.OfPartition status() {
        return status;
    }

    Map<GroupKey, List<LaneStatus.Behind>> behind() {
        return behind;
    }

    private Health health(OwnedPartition partition, Gauge gauge, boolean stale, Duration lag) {
        if (!partition.isOpen() || !gauge.trouble().isEmpty()) {
            return Health.FAILED;
        }
        if (stale) {
            return Health.STALE;
        }
        return lag.compareTo(context.settings().lagThreshold()) > 0 ? Health.LAGGING : Health.HEALTHY;
    }

    private static String why(Health health, OwnedPartition partition, Gauge gauge, Duration lag) {
        return switch (health) {
            case HEALTHY -> "";
            case LAGGING -> "it is " + lag.toSeconds() + " s behind its sources";
            case STALE -> "changes are missing, and some subscription has not confirmed that it knows";
            case FAILED -> partition.isOpen() ? gauge.trouble() : "another member owns it";
        };
    }

    private LaneStatus.Behind behind(OwnedPartition partition, PartitionStream stream, Group group) {
        long nanos = context.turns().nanos() - group.behindSince;
        Instant since = context.turns().now().minusNanos(group.behindSince == 0 ? 0 : Math.max(0, nanos));
        Lane lane = context.lanes().serving(group.key);
        return new LaneStatus.Behind(
                partition.partition(),
                group.key.priority(),
                since,
                stream.log() + " " + group.acked(stream.tail()).id(),
                oldest(stream, group),
                group.members == null ? 0 : group.members.size(),
                waits(group, lane, partition));
    }

    /** No change that is still to be read is older than this; where no event was seen, by the place's time, to the second. */
    private static Optional<Instant> oldest(PartitionStream stream, Group group) {
        Position read = group.read(stream.tail());
        if (!read.isBefore(stream.tail())) {
            return Optional.empty();
        }
        return Optional.of(Instant.ofEpochMilli(
                group.oldestMissed > 0 ? group.oldestMissed : read.time().toEpochMillis()));
    }

    private static LaneStatus.Wait waits(Group group, @Nullable Lane lane, OwnedPartition partition) {
        if (lane == null) {
            return LaneStatus.Wait.NO_GATEWAY;
        }
        if (!lane.isReachable()) {
            return LaneStatus.Wait.UNREACHABLE;
        }
        if (group.stuck) {
            return LaneStatus.Wait.STUCK;
        }
        if (group.isAwaiting()) {
            return LaneStatus.Wait.IN_FLIGHT;
        }
        return Offering.hasRoomBehind(group, lane, partition) ? LaneStatus.Wait.READING : LaneStatus.Wait.NO_ROOM;
    }
}
