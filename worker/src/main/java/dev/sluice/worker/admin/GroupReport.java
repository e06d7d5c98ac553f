package dev.sluice.worker.admin;

import dev.sluice.worker.Partition;
import java.util.List;

/**
 * A group of workers as its store shows it, a moment old at most.
 *
 * @param partitioning how the stream is divided, such as {@code hashed(orders, 64)}; empty before the first worker
 * @param workers the ids of the workers that live
 */
public record GroupReport(String group, String partitioning, List<String> workers, List<Owned> partitions) {
    public GroupReport {
        workers = List.copyOf(workers);
        partitions = List.copyOf(partitions);
    }

    /**
     * A partition with its claim.
     *
     * @param owner the worker that owns it; empty when no living worker does
     * @param token generation and epoch of the last claim; empty when it was never claimed
     * @param position in the claim: as the last owner released it, or as the present one took it over
     * @param low every message of the partition up to this stream sequence is finished, as the owner wrote it last, a second
     *     ago at most; -1 when it is not known
     */
    public record Owned(Partition partition, String owner, String token, String position, long low) {}

    /** How many open partitions have no living owner. */
    public long unowned() {
        return partitions.stream()
                .filter(owned -> owned.owner().isEmpty() && !owned.partition().closed())
                .count();
    }
}
