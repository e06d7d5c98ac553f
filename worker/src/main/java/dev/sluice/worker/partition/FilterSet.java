package dev.sluice.worker.partition;

import dev.sluice.worker.stream.StreamState;
import dev.sluice.worker.stream.StreamState.Retention;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The filters of consumers, made from the filters of the owned partitions. */
public final class FilterSet {
    private FilterSet() {}

    /** The filters without repeats, in order. */
    public static List<String> distinct(Collection<String> filters) {
        return List.copyOf(new TreeSet<>(filters));
    }

    /** The fewest filters for the owned partitions of this stream, see {@link #compress}. */
    public static List<String> of(Collection<String> owned, StreamState state) {
        return possible(state).map(possible -> compress(owned, possible)).orElseGet(() -> distinct(owned));
    }

    /**
     * All subjects that the stream can hold; empty when others than the known ones can come. Only limits streams count: a
     * message that a wildcard delivers too much must be acknowledged, which deletes it on any other stream.
     */
    static Optional<Set<String>> possible(StreamState state) {
        boolean known = state.retention() == Retention.LIMITS
                && state.transforms().isEmpty()
                && !state.subjects().isEmpty()
                && state.subjects().stream().noneMatch(FilterSet::hasWildcard);
        return known ? Optional.of(Set.copyOf(state.subjects())) : Optional.empty();
    }

    public static boolean hasWildcard(String filter) {
        return filter.endsWith(">") || filter.contains("*");
    }

    /**
     * The same messages by fewer filters: a wildcard stands for a group of subjects only if every subject it matches is
     * owned. That can be known only where no other subject can exist, see {@link #possible}. Two of the returned filters
     * never overlap, which JetStream would refuse.
     *
     * @param owned the filters of the owned partitions; those of hash slots stay as they are
     * @param possible all subjects that the stream can hold, owned or not
     */
    static List<String> compress(Collection<String> owned, Collection<String> possible) {
        SubjectTree tree = new SubjectTree();
        possible.forEach(subject -> tree.add(subject, false));
        owned.forEach(filter -> tree.add(filter, true));
        List<String> filters = new ArrayList<>();
        tree.collect(filters);
        return distinct(filters);
    }
}
