package dev.sluice.gateway;

import dev.sluice.deliver.Passed;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.ProgressMarker;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How far the Streamer's partitions have got with this gateway's own subscriptions, as batches tell it. What a partition said
 * once stays true, so a message that arrives late is harmless. Only the current generation counts: when the number of partitions
 * changes, all of them have to tell again. Any thread may call.
 */
final class PassedPartitions {
    /** The generation before anything was told. */
    static final long NONE = -1;

    /**
     * What all partitions of a generation have told, together.
     *
     * @param marker the lowest, log by log
     * @param revision the lowest: it counts for subscriptions up to this revision
     * @param except subscriptions for which it does not count
     */
    record Lowest(long generation, Reached marker, long revision, Set<String> except) {
        boolean countsFor(String subscriptionId, long itsRevision) {
            return itsRevision <= revision && !except.contains(subscriptionId);
        }
    }

    private final Map<Integer, Passed> latest = new HashMap<>();
    private volatile long generation = NONE;
    private int partitions;
    private volatile boolean changed;
    private volatile @Nullable Lowest lowest;

    /** Reads what a partition told; empty when it makes no sense. It is a hint: the events beside it must not suffer for it. */
    static Optional<Passed> read(
            long generation, int partitions, int partition, String marker, long revision, List<String> except) {
        if (generation < 0 || partitions > Incoming.PARTITIONS || partition < 0 || partition >= partitions) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new Passed(generation, partitions, partition, ProgressMarker.decode(marker), revision, except));
        } catch (InvalidInputException unreadable) {
            return Optional.empty();
        }
    }

    synchronized void tell(Passed told) {
        if (told.generation() < generation) {
            return;
        }
        if (told.generation() > generation || told.partitions() != partitions) {
            latest.clear();
            partitions = told.partitions();
            lowest = null;
            generation = told.generation();
        }
        Passed before = latest.get(told.partition());
        if (before == null || before.revision() <= told.revision() && !before.equals(told)) {
            latest.put(told.partition(), told);
            changed = true;
        }
    }

    /** The Streamer may have lost its registry: what was told counts no more, and revisions begin anew. */
    synchronized void forget() {
        latest.clear();
        lowest = null;
        changed = false;
    }

    /** The generation of what was told last; {@link #NONE} from a Streamer that tells nothing. */
    long generation() {
        return generation;
    }

    /** Whether the Streamer tells how far its partitions have got. */
    boolean isTold() {
        return generation != NONE;
    }

    /** Null until every partition of the current generation has told. */
    @Nullable
    Lowest lowest() {
        // Asked for with every event: without a lock, as long as nothing was told since.
        return changed ? lowestNow() : lowest;
    }

    private synchronized @Nullable Lowest lowestNow() {
        if (changed && latest.size() == partitions) {
            lowest = lowestOf(latest.values());
            changed = false;
        }
        return lowest;
    }

    private Lowest lowestOf(Collection<Passed> all) {
        Map<String, EventId> positions = null;
        long revision = Long.MAX_VALUE;
        Set<String> except = new HashSet<>();
        for (Passed each : all) {
            positions = positions == null
                    ? new TreeMap<>(each.marker().positions())
                    : lower(positions, each.marker().positions());
            revision = Math.min(revision, each.revision());
            except.addAll(each.except());
        }
        ProgressMarker marker = new ProgressMarker(positions == null ? Map.of() : positions);
        return new Lowest(generation, new Reached(marker.encode(), marker), revision, Set.copyOf(except));
    }

    /** Of a log that one of them does not name, nothing is known. */
    private static Map<String, EventId> lower(Map<String, EventId> one, Map<String, EventId> other) {
        Map<String, EventId> lower = new TreeMap<>();
        one.forEach((log, position) -> {
            EventId theirs = other.get(log);
            if (theirs != null) {
                lower.put(log, lower(position, theirs));
            }
        });
        return lower;
    }

    /** Of two events of one cluster time the order is not known: a place before both is lower than both. */
    private static EventId lower(EventId one, EventId other) {
        int order = one.time().compareTo(other.time());
        if (order != 0 || one.equals(other)) {
            return order <= 0 ? one : other;
        }
        long time = one.time().value();
        return new EventId(new ClusterTime(time == 0 ? 0 : time - 1), 0);
    }
}
