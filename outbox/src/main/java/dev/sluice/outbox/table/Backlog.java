package dev.sluice.outbox.table;

import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** What waits in the tables. */
public record Backlog(List<OfPartition> partitions, long parked, long dead) {
    /**
     * The pending rows of one partition.
     *
     * @param partition null for rows that have none yet
     * @param oldest by the database's clock
     */
    public record OfPartition(@Nullable Integer partition, long rows, Instant oldest, long lowestId) {}

    /** The lowest id of a pending row of this slice. */
    public OptionalLong lowestId(Slice slice) {
        return partitions.stream()
                .filter(each ->
                        slice.isAll() || each.partition() != null && each.partition() % slice.claims() == slice.claim())
                .mapToLong(OfPartition::lowestId)
                .min();
    }

    public long rows() {
        return partitions.stream().mapToLong(OfPartition::rows).sum();
    }
}
