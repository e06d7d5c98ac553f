package dev.sluice.route;

import dev.sluice.deliver.Passed;
import dev.sluice.lane.GroupKey;
import dev.sluice.model.EventId;
import dev.sluice.model.Places;
import dev.sluice.model.Position;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.saved.SavedPosition;
import dev.sluice.subscribe.Home;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The cursors of a partition as they stand, for saving and for markers. For the partition's thread. */
final class PositionNow {
    /**
     * A main group at the tail with something unsettled that is older than this is saved by itself: a gateway that hangs must
     * not have all others begin where it stands.
     */
    private static final long SECONDS_APART = 5;

    /** Beyond so many side members none is named, and the marker is the lowest of all. */
    private static final int MOST_EXCEPTED = 256;

    private final List<PartitionStream> streams;

    PositionNow(List<PartitionStream> streams) {
        this.streams = streams;
    }

    /** @param ending nothing more is handed over: what was really sent is saved, not what was reserved */
    SavedPosition position(long registry, long revision, List<SavedPosition.Member> resync, boolean ending) {
        Map<String, SavedPosition.OfStream> saved = new TreeMap<>();
        streams.forEach(each -> saved.put(each.log(), of(each, ending)));
        return new SavedPosition(registry, revision, saved, resync);
    }

    private static SavedPosition.OfStream of(PartitionStream stream, boolean ending) {
        Position tail = stream.tail();
        Position lowest = tail;
        List<SavedPosition.OfGroup> elsewhere = new ArrayList<>();
        for (Group group : stream.groups().all().toList()) {
            if (group.isMain() && group.isAtTail() && !isFarBehind(group, tail)) {
                lowest = Position.lower(lowest, group.acked(tail));
            } else {
                elsewhere.add(new SavedPosition.OfGroup(group.key, group.acked(tail), members(group)));
            }
        }
        return new SavedPosition.OfStream(
                stream.identity(),
                lowest,
                ending ? stream.sent().handed() : stream.sent().reserved(),
                elsewhere);
    }

    private static boolean isFarBehind(Group group, Position tail) {
        return group.acked(tail).time().t() + SECONDS_APART < tail.time().t();
    }

    private static @Nullable List<SavedPosition.Member> members(Group group) {
        if (group.members == null) {
            return null;
        }
        List<SavedPosition.Member> members = new ArrayList<>();
        group.members.forEach((id, created) -> members.add(new SavedPosition.Member(id, created)));
        return members;
    }

    /**
     * How far the subscriptions of one gateway's own home have got: the lowest {@code acked} of its main groups, and the side
     * members that stand elsewhere; where these are too many, the lowest of all its groups.
     */
    Passed passed(String gatewayId, OwnedPartition partition) {
        Home home = new Home.Gateway(gatewayId);
        List<GroupKey> keys = Arrays.stream(Priority.values())
                .map(priority -> new GroupKey(home, "", priority))
                .toList();
        Set<String> except = new LinkedHashSet<>();
        streams.forEach(stream -> except.addAll(stream.groups().sides().members(home, MOST_EXCEPTED + 1)));
        boolean all = except.size() > MOST_EXCEPTED;
        TreeMap<String, EventId> marker = new TreeMap<>();
        for (PartitionStream each : streams) {
            Position lowest =
                    all ? each.groups().lowestAcked(keys) : each.groups().lowestMain(keys);
            marker.put(each.log(), lowest.id());
        }
        return new Passed(
                partition.token().generation(),
                partition.partitions(),
                partition.partition(),
                new ProgressMarker(marker),
                partition.applied(),
                all ? List.of() : List.copyOf(except));
    }

    /** The lowest place of these groups in each log. */
    Places lowWater(Collection<GroupKey> keys) {
        TreeMap<String, Places.Place> places = new TreeMap<>();
        for (PartitionStream stream : streams) {
            places.put(
                    stream.log(),
                    new Places.Place(stream.identity(), stream.groups().lowestAcked(keys)));
        }
        return new Places(places);
    }
}
