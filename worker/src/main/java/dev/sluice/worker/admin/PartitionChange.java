package dev.sluice.worker.admin;

import dev.sluice.worker.Partition;
import dev.sluice.worker.partition.PartitionMap;
import java.util.List;

/**
 * What a change of the partitions of a group has done.
 *
 * @param added partitions that are new
 * @param reopened closed partitions that are configured again: they go on behind their last handled message
 * @param closed partitions that are handled to their last message, and no further
 * @param closing partitions of an earlier number of hash slots, closed once the stream writes the new number
 * @param warnings what is still to be done on the stream
 */
public record PartitionChange(
        int added, int reopened, int closed, int closing, List<String> warnings, PartitionMap partitions) {
    public PartitionChange {
        warnings = List.copyOf(warnings);
    }

    static PartitionChange between(PartitionMap before, PartitionMap after, int configured, List<String> warnings) {
        int reopened = 0;
        int closed = 0;
        for (Partition old : before.all()) {
            boolean closedNow = after.at(old.index()).map(Partition::closed).orElse(false);
            reopened += old.closed() && !closedNow ? 1 : 0;
            closed += !old.closed() && closedNow ? 1 : 0;
        }
        int closing = after.open().size() - configured;
        return new PartitionChange(after.size() - before.size(), reopened, closed, closing, warnings, after);
    }
}
