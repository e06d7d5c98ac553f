package dev.sluice.worker.admin;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.GroupControl;
import dev.sluice.coordinate.StoredClaims;
import dev.sluice.coordinate.StoredClaims.StoredClaim;
import dev.sluice.worker.Partition;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.deadletter.DeadLetters;
import dev.sluice.worker.deadletter.LetterId;
import dev.sluice.worker.deadletter.RetryOutcome;
import dev.sluice.worker.partition.Discovery;
import dev.sluice.worker.partition.PartitionDirectory;
import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.partition.StreamFit;
import dev.sluice.worker.stream.MessageStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Looks at a group of workers and changes it from outside, such as by a command. The creator closes the store and the
 * stream. Calls throw a {@code StoreUnavailableException} or a {@code StreamUnavailableException} without an answer; all of
 * them may be repeated.
 */
public final class WorkerAdmin {
    private final String group;
    private final MessageStream stream;
    private final DeadLetters letters;
    private final PartitionDirectory directory;
    private final GroupControl control;

    /** @param group as in {@code GroupSettings.group()} */
    public WorkerAdmin(CoordinationStore store, String group, MessageStream stream, DeadLetters letters) {
        this.group = group;
        this.stream = stream;
        this.letters = letters;
        this.directory = new PartitionDirectory(store, group);
        this.control = new GroupControl(store, group);
    }

    /** Workers, and partitions with their owners. */
    public GroupReport status() {
        StoredClaims claims = control.claims();
        List<GroupReport.Owned> owned = new ArrayList<>();
        for (Partition partition : directory.read().all()) {
            owned.add(owned(partition, Optional.ofNullable(claims.claims().get(partition.index()))));
        }
        String partitioning = directory.partitions().map(Partitions::describe).orElse("");
        return new GroupReport(group, partitioning, List.copyOf(claims.live().keySet()), owned);
    }

    private static GroupReport.Owned owned(Partition partition, Optional<StoredClaim> claim) {
        return new GroupReport.Owned(
                partition,
                claim.filter(StoredClaim::live).map(StoredClaim::owner).orElse(""),
                claim.map(stored -> stored.token().toString()).orElse(""),
                claim.map(StoredClaim::position).orElse(""));
    }

    public PartitionMap partitions() {
        return directory.read();
    }

    /**
     * Gives the group other partitions, see {@link PartitionDirectory#changeTo}. Running workers follow; workers that start
     * afterwards must be configured with the new partitions.
     *
     * @throws dev.sluice.model.InvalidInputException when the stream does not fit them
     */
    public PartitionChange changePartitions(Partitions wanted, ConsumerMode mode) {
        PartitionMap before = directory.read();
        StreamFit fit = StreamFit.of(stream.state(), wanted, wanted.known().size(), mode)
                .orRefuse();
        directory.changeTo(wanted, stream);
        new Discovery(directory, stream, this::grow).step();
        PartitionMap after = directory.read();
        int configured = (int) after.open().stream()
                .filter(partition -> wanted.idOf(partition.filter()).isPresent())
                .count();
        return PartitionChange.between(before, after, configured, fit.warnings());
    }

    /** A group that never started takes its number from the directory when it starts. */
    private void grow(int partitions) {
        if (control.look().isPresent()) {
            control.grow(partitions);
        }
    }

    /** List, show and delete letters; retry them by {@link #retry}. */
    public DeadLetters deadLetters() {
        return letters;
    }

    /**
     * Retries a dead letter, unless its partition is closed: then no worker would handle the message. Its order among the
     * other messages of the partition is lost.
     */
    public RetryOutcome retry(LetterId id) {
        Optional<Partition> closed = directory.read().at(id.partition()).filter(Partition::closed);
        boolean replaced = closed.isPresent() && closed.get().filter().endsWith(".>");
        if (closed.isPresent() && !replaced) {
            return new RetryOutcome.Failed("partition " + closed.get().id()
                    + " is closed, so no worker would handle the"
                    + " message: add the subject " + closed.get().filter() + " to the partitions of group " + group
                    + " again, or delete the letter");
        }
        return letters.retry(id);
    }
}
