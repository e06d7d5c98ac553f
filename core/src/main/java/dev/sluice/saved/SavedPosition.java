package dev.sluice.saved;

import dev.sluice.lane.GroupKey;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.Position;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a claim keeps of a partition: where each stream is read on, and which groups and subscriptions stand elsewhere. {@link
 * SavedPositionText} writes and reads it.
 *
 * @param registry the identity of the registry that {@code revision} belongs to; 0: whichever is there
 * @param revision the registry revision that was applied
 * @param streams by log
 * @param resync subscriptions that are owed a RESYNC that was asked for
 */
public record SavedPosition(long registry, long revision, Map<String, OfStream> streams, List<Member> resync) {
    public SavedPosition {
        streams = new TreeMap<>(streams);
        resync = List.copyOf(resync);
    }

    /**
     * One stream.
     *
     * @param identity of the log; 0: not known, positions are resolved by their ids
     * @param tail where the stream is read on: every group that is not listed has settled everything up to here
     * @param sent events up to this time may have been sent
     * @param groups main groups and side groups that stand elsewhere
     * @param revision the registry revision that was applied, of a log that was not there when the whole was saved
     */
    public record OfStream(long identity, Position tail, ClusterTime sent, List<OfGroup> groups, long revision) {
        /** The revision is that of the whole position. */
        public static final long AS_WHOLE = -1;

        public OfStream(long identity, Position tail, ClusterTime sent, List<OfGroup> groups) {
            this(identity, tail, sent, groups, AS_WHOLE);
        }

        public OfStream {
            groups = List.copyOf(groups);
        }

        /** The place of a main group: its own, or the tail's. */
        public Position placeOfMain(GroupKey key) {
            return groups.stream()
                    .filter(each -> each.isMain() && each.key.equals(key))
                    .map(OfGroup::at)
                    .findFirst()
                    .orElse(tail);
        }

        public Position lowestMain() {
            return groups.stream().filter(OfGroup::isMain).map(OfGroup::at).reduce(tail, Position::lower);
        }

        public Position lowest() {
            return groups.stream().map(OfGroup::at).reduce(tail, Position::lower);
        }

        /** Side groups, each behind the next lower one of its home and priority, then main groups. */
        private List<OfGroup> upwards() {
            return groups.stream()
                    .sorted(Comparator.comparing(OfGroup::isMain)
                            .thenComparing(each -> each.key.text())
                            .thenComparing(OfGroup::at))
                    .toList();
        }

        private OfStream merged(Set<OfGroup> joining) {
            List<OfGroup> merged = new ArrayList<>();
            for (OfGroup each : upwards()) {
                boolean joins = !merged.isEmpty() && each.isNeighbourOf(merged.getLast()) && joining.contains(each);
                merged.add(joins ? merged.removeLast().with(each) : each);
            }
            return new OfStream(identity, tail, sent, merged, revision);
        }
    }

    /**
     * A group that stands elsewhere.
     *
     * @param members of a side group; null for a main group
     */
    public record OfGroup(
            GroupKey key, Position at, @Nullable List<Member> members) {
        public boolean isMain() {
            return members == null;
        }

        private boolean isNeighbourOf(OfGroup lower) {
            return !isMain() && key.equals(lower.key);
        }

        private OfGroup with(OfGroup upper) {
            return new OfGroup(
                    key, at, Stream.of(this, upper).flatMap(OfGroup::listed).toList());
        }

        /** The members that are named: those of a side group. */
        private Stream<Member> listed() {
            return members == null ? Stream.of() : members.stream();
        }
    }

    /** @param created the incarnation; 0: whichever lives */
    public record Member(String id, long created) {}

    /** The registry revision that was applied to a stream. */
    public long revisionOf(OfStream stream) {
        return stream.revision == OfStream.AS_WHOLE ? revision : Math.min(stream.revision, revision);
    }

    /** This one, with the places of logs that only another names, at the revision that was applied there. */
    public SavedPosition withLogsOf(SavedPosition other) {
        if (streams.keySet().containsAll(other.streams.keySet())) {
            return this;
        }
        Map<String, OfStream> all = new TreeMap<>();
        other.streams.forEach((log, stream) -> all.put(
                log,
                new OfStream(
                        stream.identity,
                        stream.tail,
                        stream.sent,
                        stream.groups,
                        other.registry == registry ? other.revisionOf(stream) : 0)));
        all.putAll(streams);
        return new SavedPosition(registry, revision, all, resync);
    }

    /** This one, then those that leave out ever more of the side members that were created last. */
    List<SavedPosition> ofLowerRevisions() {
        long[] created = streams.values().stream()
                .flatMap(stream -> stream.groups.stream())
                .flatMap(OfGroup::listed)
                .mapToLong(Member::created)
                .filter(each -> each > 0)
                .sorted()
                .distinct()
                .toArray();
        List<SavedPosition> lower = new ArrayList<>(List.of(this));
        for (int left = created.length / 2; left > 0; left /= 2) {
            lower.add(withoutCreatedAbove(created[left] - 1));
        }
        return lower;
    }

    /**
     * One in which so many side groups are one with the next lower one of their home and priority, at its place: those that are
     * the nearest to it by the source's time. Main groups stay where they are. Costs repeats, never events.
     */
    SavedPosition merged(int merges) {
        Map<OfGroup, Long> distances = new LinkedHashMap<>();
        for (OfStream stream : streams.values()) {
            OfGroup lower = null;
            for (OfGroup each : stream.upwards()) {
                if (lower != null && each.isNeighbourOf(lower)) {
                    distances.put(each, each.at.time().value() - lower.at.time().value());
                }
                lower = each;
            }
        }
        Set<OfGroup> joining = distances.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Long::compareUnsigned))
                .limit(merges)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        Map<String, OfStream> fewer = new TreeMap<>();
        streams.forEach((log, stream) -> fewer.put(log, stream.merged(joining)));
        return new SavedPosition(registry, revision, fewer, resync);
    }

    /** One that names fewer and begins earlier: only the lowest place of each stream. Costs repeats, never events. */
    SavedPosition lowered() {
        Map<String, OfStream> lower = new TreeMap<>();
        streams.forEach((log, stream) -> lower.put(
                log, new OfStream(stream.identity, stream.lowest(), stream.sent, List.of(), stream.revision)));
        return new SavedPosition(registry, revision, lower, resync);
    }

    /**
     * One that leaves out the side members created above a revision, and says that only that revision was applied: they begin
     * at their start again.
     */
    SavedPosition withoutCreatedAbove(long lowerRevision) {
        Map<String, OfStream> fewer = new TreeMap<>();
        streams.forEach((log, stream) -> {
            List<OfGroup> kept = new ArrayList<>();
            for (OfGroup group : stream.groups) {
                if (group.members == null) {
                    kept.add(group);
                } else {
                    List<Member> older = group.members.stream()
                            .filter(each -> each.created <= lowerRevision)
                            .toList();
                    if (!older.isEmpty()) {
                        kept.add(new OfGroup(group.key, group.at, older));
                    }
                }
            }
            fewer.put(log, new OfStream(stream.identity, stream.tail, stream.sent, kept, stream.revision));
        });
        List<Member> toResync =
                resync.stream().filter(each -> each.created <= lowerRevision).toList();
        return new SavedPosition(registry, Math.min(revision, lowerRevision), fewer, toResync);
    }

    /** A position from which a partition loses nothing of either: for a group that changes its number of partitions. */
    SavedPosition lower(SavedPosition other) {
        if (registry != other.registry) {
            return new SavedPosition(0, 0, Map.of(), List.of());
        }
        Map<String, OfStream> both = new TreeMap<>();
        streams.forEach((log, mine) -> {
            OfStream theirs = other.streams.get(log);
            if (theirs != null && theirs.identity == mine.identity) {
                boolean asWhole = mine.revision == OfStream.AS_WHOLE && theirs.revision == OfStream.AS_WHOLE;
                long applied = asWhole ? OfStream.AS_WHOLE : Math.min(revisionOf(mine), other.revisionOf(theirs));
                both.put(log, lower(mine, theirs, applied));
            }
        });
        List<Member> toResync = new ArrayList<>(resync);
        other.resync.stream().filter(each -> !resync.contains(each)).forEach(toResync::add);
        return new SavedPosition(registry, Math.min(revision, other.revision), both, toResync);
    }

    private static OfStream lower(OfStream one, OfStream two, long revision) {
        Map<GroupKey, Position> mains = new LinkedHashMap<>();
        Map<Map.Entry<GroupKey, Member>, Position> members = new LinkedHashMap<>();
        for (OfStream each : List.of(one, two)) {
            OfStream other = each == one ? two : one;
            for (OfGroup group : each.groups) {
                if (group.members == null) {
                    mains.merge(group.key, Position.lower(group.at, other.placeOfMain(group.key)), Position::lower);
                } else {
                    for (Member member : group.members) {
                        members.merge(
                                Map.entry(group.key, member),
                                Position.lower(group.at, other.placeOfMain(group.key)),
                                Position::lower);
                    }
                }
            }
        }
        List<OfGroup> groups = new ArrayList<>();
        mains.forEach((key, at) -> groups.add(new OfGroup(key, at, null)));
        Map<Map.Entry<GroupKey, Position>, List<Member>> sides = new LinkedHashMap<>();
        members.forEach((member, at) -> sides.computeIfAbsent(Map.entry(member.getKey(), at), none -> new ArrayList<>())
                .add(member.getValue()));
        sides.forEach((place, of) -> groups.add(new OfGroup(place.getKey(), place.getValue(), of)));
        ClusterTime sent = one.sent.compareTo(two.sent) >= 0 ? one.sent : two.sent;
        return new OfStream(one.identity, Position.lower(one.tail, two.tail), sent, groups, revision);
    }
}
