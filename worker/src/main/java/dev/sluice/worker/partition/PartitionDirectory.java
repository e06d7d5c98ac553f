package dev.sluice.worker.partition;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.Partition;
import dev.sluice.worker.partition.DirectoryStore.Stored;
import dev.sluice.worker.stream.MessageStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of a group, stored in the group by name, so that all its workers agree on them. An index is given once: a
 * partition that leaves the configuration is closed at its last message and keeps its index; one that comes back is opened
 * again and goes on behind its last message. All calls block, may throw a {@code StoreUnavailableException}, and may then
 * be repeated.
 */
public final class PartitionDirectory {
    /** As many as a group of the coordination layer may have. */
    public static final int MAX_PARTITIONS = 100_000;

    private static final int WRITES = 20;

    private final String group;
    private final DirectoryStore stored;
    private volatile @Nullable Divided latest;

    /** The configuration of one version: to check a long list of subjects again takes its time. */
    private record Divided(Stored version, Partitions partitions) {}

    /** @param group as in {@code GroupSettings.group()} */
    public PartitionDirectory(CoordinationStore store, String group) {
        this.group = group;
        this.stored = new DirectoryStore(store, group);
    }

    /** The partitions now; an empty map when no worker of the group has started yet. */
    public PartitionMap read() {
        return stored.read().map(Stored::map).orElseGet(PartitionMap::empty);
    }

    /** How the group's subjects are divided; empty when no worker of the group has started yet. */
    public Optional<Partitions> partitions() {
        return stored.read().map(this::divided);
    }

    private Partitions divided(Stored version) {
        Divided known = latest;
        if (known == null || known.version() != version) {
            known = new Divided(version, version.partitions());
            latest = known;
        }
        return known.partitions();
    }

    /**
     * Admits a worker: the first one of a group writes its partitions, every other one must be configured alike.
     *
     * @throws PartitionsDifferException when the worker is configured with other partitions
     */
    public PartitionMap admit(Partitions configured) {
        return change(before -> {
            if (before == null) {
                return new Next(configured, merged(List.of(), configured.known()));
            }
            if (!before.partitions().equals(configured)) {
                throw PartitionsDifferException.of(group, before.partitions(), before.map(), configured);
            }
            return null;
        });
    }

    /**
     * Changes the configuration of the group. New partitions are appended and start at their first message; partitions that
     * are no longer configured are closed at their last message. Partitions of another number of hash slots stay open until
     * the stream shows the new transform and their subjects are quiet, see {@link HashedResize}. Workers that start
     * afterwards must be configured alike; those that run follow by {@link #watch}.
     */
    public PartitionMap changeTo(Partitions wanted, MessageStream stream) {
        return change(before -> {
            List<Partition> old = before == null ? List.of() : before.map().all();
            if (before != null && before.partitions().equals(wanted)) {
                return null;
            }
            List<Partition> next = new ArrayList<>();
            for (Partition partition : old) {
                next.add(underNew(wanted, partition, stream));
            }
            return new Next(wanted, merged(next, wanted.known()));
        });
    }

    private static Partition underNew(Partitions wanted, Partition partition, MessageStream stream) {
        Optional<String> id = wanted.idOf(partition.filter());
        if (id.isPresent()) {
            return Partition.open(partition.index(), id.get(), partition.filter());
        }
        return partition.closed() || HashedResize.closesLater(wanted, partition)
                ? partition
                : closed(partition, stream.lastOf(partition.filter()).orElse(0));
    }

    private static Partition closed(Partition partition, long last) {
        return new Partition(partition.index(), partition.id(), partition.filter(), true, last);
    }

    /**
     * Appends subjects that a pattern matches; those that are known already, or do not match, are left out, and those for
     * which a group has no room, see {@link #MAX_PARTITIONS}.
     */
    public PartitionMap discovered(Collection<String> subjects) {
        return change(before -> {
            if (before == null || !(before.partitions() instanceof SubjectPattern pattern)) {
                return null;
            }
            List<PartitionSpec> specs = subjects.stream()
                    .sorted()
                    .flatMap(subject -> pattern.idOf(subject).map(id -> new PartitionSpec(id, subject)).stream())
                    .toList();
            List<Partition> next = merged(before.map().all(), fitting(before.map(), specs));
            return next.equals(before.map().all()) ? null : new Next(pattern, next);
        });
    }

    private static List<PartitionSpec> fitting(PartitionMap known, List<PartitionSpec> specs) {
        List<PartitionSpec> fitting = new ArrayList<>();
        int room = MAX_PARTITIONS - known.size();
        for (PartitionSpec spec : specs) {
            boolean isNew = known.withFilter(spec.filter()).isEmpty();
            if (!isNew || room > 0) {
                fitting.add(spec);
                room -= isNew ? 1 : 0;
            }
        }
        return fitting;
    }

    /** Closes partitions at their last messages, by index, unless they are part of the configuration. */
    PartitionMap close(Map<Integer, Long> lastSequences) {
        return change(before -> {
            if (before == null) {
                return null;
            }
            Partitions configured = before.partitions();
            List<Partition> next = new ArrayList<>(before.map().all());
            next.replaceAll(partition -> {
                Long last = lastSequences.get(partition.index());
                return last == null
                                || partition.closed()
                                || configured.idOf(partition.filter()).isPresent()
                        ? partition
                        : closed(partition, last);
            });
            return next.equals(before.map().all()) ? null : new Next(configured, next);
        });
    }

    /** Calls {@code changed} soon after the partitions changed, and sometimes for nothing. */
    public CoordinationStore.Watch watch(Runnable changed) {
        return stored.watch(changed);
    }

    private record Next(Partitions partitions, List<Partition> all) {}

    /** @param decide gets the directory as it is; returns null when nothing is to change */
    private PartitionMap change(Function<@Nullable Stored, @Nullable Next> decide) {
        for (int i = 0; i < WRITES; i++) {
            Stored before = stored.read().orElse(null);
            Next next = decide.apply(before);
            if (next == null) {
                return before == null ? PartitionMap.empty() : before.map();
            }
            Optional<Stored> written = stored.write(before, next.partitions(), next.all());
            if (written.isPresent()) {
                return written.get().map();
            }
        }
        throw new InvalidInputException(
                "other processes have changed the partitions of group " + group + " all the time: try again");
    }

    /** Opens the partitions that are there, appends the others. */
    private static List<Partition> merged(List<Partition> old, List<PartitionSpec> specs) {
        List<Partition> next = new ArrayList<>(old);
        Map<String, Integer> indexes = new HashMap<>();
        old.forEach(partition -> indexes.put(partition.filter(), partition.index()));
        PartitionMap map = new PartitionMap(0, old);
        for (PartitionSpec spec : specs) {
            Integer index = indexes.get(spec.filter());
            if (index != null) {
                next.set(index, Partition.open(index, spec.id(), spec.filter()));
            } else {
                FilterOverlap.refuse(map, spec.filter());
                indexes.put(spec.filter(), next.size());
                next.add(Partition.open(next.size(), spec.id(), spec.filter()));
            }
        }
        if (next.size() > MAX_PARTITIONS) {
            throw new InvalidInputException(
                    "a group has at most " + MAX_PARTITIONS + " partitions, closed ones included," + " not "
                            + next.size() + ": use hashed partitions, or another consumer prefix");
        }
        return next;
    }
}
