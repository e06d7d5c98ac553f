package dev.sluice.route;

import dev.sluice.model.Places;
import dev.sluice.model.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The cursors of a partition as they stand, for saving and for markers. For the partition's thread. */
final class PositionNow {
    /**
     * A main group at the tail with something unsettled that is older than this is saved by itself: a gateway that hangs must
     * not have all others begin where it stands.
     */
    private static final long SECONDS_APART = 5;

    private final List<PartitionStream> streams;
    private final boolean ending;

    /** @param ending nothing more is handed over: what was really sent is saved, not what was reserved */
    PositionNow(List<PartitionStream> streams, boolean ending) {
        this.streams = streams;
        this.ending = ending;
    }

    SavedPosition position(long registry, long revision, List<SavedPosition.Member> resync) {
        Map<String, SavedPosition.OfStream> saved = new TreeMap<>();
        for (PartitionStream stream : streams) {
            saved.put(stream.log(), of(stream));
        }
        return new SavedPosition(registry, revision, saved, resync);
    }

    private SavedPosition.OfStream of(PartitionStream stream) {
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

    Places lowWater(Predicate<GroupKey> groups) {
        TreeMap<String, Places.Place> places = new TreeMap<>();
        for (PartitionStream stream : streams) {
            places.put(
                    stream.log(),
                    new Places.Place(stream.identity(), stream.groups().lowestAcked(groups)));
        }
        return new Places(places);
    }
}
