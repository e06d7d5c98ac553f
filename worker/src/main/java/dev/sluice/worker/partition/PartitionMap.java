package dev.sluice.worker.partition;

import dev.sluice.worker.Partition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The partitions of a group as of one version of its directory. Immutable; any thread may ask. */
public final class PartitionMap {
    private static final String BELOW = ".>";

    private final long version;
    private final List<Partition> partitions;
    private final Map<String, Partition> bySubject = new HashMap<>();
    private final Map<String, Partition> byPrefix = new HashMap<>();
    /** How many tokens the keys of {@link #byPrefix} have: one number, two when the prefix was changed. */
    private final int[] prefixTokens;

    /** @param partitions in the order of their indexes, without a hole */
    public PartitionMap(long version, List<Partition> partitions) {
        this.version = version;
        this.partitions = List.copyOf(partitions);
        Set<Integer> lengths = new TreeSet<>();
        for (Partition partition : partitions) {
            String filter = partition.filter();
            if (filter.endsWith(BELOW)) {
                String prefix = filter.substring(0, filter.length() - BELOW.length());
                byPrefix.put(prefix, partition);
                lengths.add(prefix.split("\\.", -1).length);
            } else {
                bySubject.put(filter, partition);
            }
        }
        this.prefixTokens = lengths.stream().mapToInt(Integer::intValue).toArray();
    }

    public static PartitionMap empty() {
        return new PartitionMap(0, List.of());
    }

    /** Grows with every change of the directory; 0 before the first. */
    public long version() {
        return version;
    }

    /** The partition that a message of this subject belongs to; null when it belongs to none. */
    public @Nullable Partition of(String subject) {
        Partition exact = bySubject.get(subject);
        if (exact != null) {
            return exact;
        }
        for (int tokens : prefixTokens) {
            int end = endOf(subject, tokens);
            Partition found = end < 0 ? null : byPrefix.get(subject.substring(0, end));
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** The place of the dot behind so many tokens; -1 when there is none. */
    private static int endOf(String subject, int tokens) {
        int dot = -1;
        for (int i = 0; i < tokens; i++) {
            dot = subject.indexOf('.', dot + 1);
            if (dot < 0) {
                return -1;
            }
        }
        return dot < subject.length() - 1 ? dot : -1;
    }

    /** The partition of this index; empty when this version has none, so a newer one may. */
    public Optional<Partition> at(int index) {
        return index >= 0 && index < partitions.size() ? Optional.of(partitions.get(index)) : Optional.empty();
    }

    /** The partition with exactly this filter. */
    public Optional<Partition> withFilter(String filter) {
        return Optional.ofNullable(
                filter.endsWith(BELOW)
                        ? byPrefix.get(filter.substring(0, filter.length() - BELOW.length()))
                        : bySubject.get(filter));
    }

    /** All partitions by index, closed ones included. */
    public List<Partition> all() {
        return partitions;
    }

    /** The partitions that are part of the configuration. */
    public List<Partition> open() {
        return partitions.stream().filter(partition -> !partition.closed()).toList();
    }

    /** How many indexes are given, those of closed partitions included. */
    public int size() {
        return partitions.size();
    }
}
