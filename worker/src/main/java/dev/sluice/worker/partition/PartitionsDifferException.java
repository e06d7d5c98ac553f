package dev.sluice.worker.partition;

import dev.sluice.worker.Partition;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A worker is configured with other partitions than its group has. The message names the difference and the way out. */
public final class PartitionsDifferException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int SHOWN = 5;

    private final transient List<String> missing;
    private final transient List<String> extra;

    private PartitionsDifferException(String message, List<String> missing, List<String> extra) {
        super(message);
        this.missing = missing;
        this.extra = extra;
    }

    static PartitionsDifferException of(String group, Partitions stored, PartitionMap map, Partitions configured) {
        Set<String> theirs = new HashSet<>(
                configured.known().stream().map(PartitionSpec::filter).toList());
        Set<String> ours =
                new HashSet<>(map.open().stream().map(Partition::filter).toList());
        List<String> missing = configured instanceof SubjectPattern
                ? List.of()
                : ours.stream()
                        .filter(filter -> !theirs.contains(filter))
                        .sorted()
                        .toList();
        List<String> extra = theirs.stream()
                .filter(filter -> !ours.contains(filter))
                .sorted()
                .toList();
        return new PartitionsDifferException(
                "group " + group + " has other partitions than this worker is configured with: the group has "
                        + stored.describe() + ", the worker " + configured.describe()
                        + part("missing in the configuration", missing)
                        + part("not in the group", extra)
                        + ". Configure the worker like the group, or change the partitions of the group first"
                        + " (sluice worker partitions).",
                missing,
                extra);
    }

    private static String part(String what, List<String> filters) {
        if (filters.isEmpty()) {
            return "";
        }
        String rest = filters.size() > SHOWN ? ", …" : "";
        return "; " + filters.size() + " " + what + " ("
                + String.join(", ", filters.subList(0, Math.min(SHOWN, filters.size()))) + rest + ")";
    }

    /** Filters of the group's open partitions that the configuration does not name. */
    public List<String> missing() {
        return missing;
    }

    /** Filters that only the configuration names. */
    public List<String> extra() {
        return extra;
    }
}
