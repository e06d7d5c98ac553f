package dev.sluice.worker.partition;

import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.Partition;

/** Refuses a partition whose messages belong to another partition of the group already. */
final class FilterOverlap {
    private FilterOverlap() {}

    /** @param filter one that no partition of the map has */
    static void refuse(PartitionMap map, String filter) {
        boolean hashed = filter.endsWith(".>");
        Partition other = hashed ? below(map, filter.substring(0, filter.length() - 1)) : map.of(filter);
        if (other != null) {
            throw new InvalidInputException("partition " + filter + " overlaps partition " + other.filter()
                    + " (index " + other.index() + (other.closed() ? ", closed" : "")
                    + ") of the group: its messages would be handled twice; use other subjects, or another consumer"
                    + " prefix");
        }
    }

    private static @org.jspecify.annotations.Nullable Partition below(PartitionMap map, String prefix) {
        return map.all().stream()
                .filter(partition -> partition.filter().startsWith(prefix)
                        || partition.filter().endsWith(".>") && prefix.startsWith(trimmed(partition.filter())))
                .findFirst()
                .orElse(null);
    }

    private static String trimmed(String filter) {
        return filter.substring(0, filter.length() - 1);
    }
}
