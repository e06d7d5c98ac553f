package dev.sluice.worker.admin;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.GroupControl;
import dev.sluice.coordinate.StoredClaims;
import dev.sluice.coordinate.StoredClaims.StoredClaim;
import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.Partition;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.cursor.CursorStore;
import dev.sluice.worker.cursor.CursorTable;
import dev.sluice.worker.deadletter.DeadLetters;
import dev.sluice.worker.deadletter.LetterId;
import dev.sluice.worker.deadletter.RetryOutcome;
import dev.sluice.worker.migrate.MigrationControl;
import dev.sluice.worker.migrate.MigrationLimits;
import dev.sluice.worker.partition.Discovery;
import dev.sluice.worker.partition.PartitionDirectory;
import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.partition.StreamFit;
import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.StreamState;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks at a group of workers and changes it from outside, such as by a command. The creator closes the store and the
 * stream. Calls throw a {@code StoreUnavailableException} or a {@code StreamUnavailableException} without an answer; all of
 * them may be repeated.
 */
public final class WorkerAdmin {
    private static final long UNKNOWN = -1;

    private final String group;
    private final MessageStream stream;
    private final DeadLetters letters;
    private final PartitionDirectory directory;
    private final GroupControl control;
    private final CursorStore cursors;
    private final MigrationControl migrations;

    /** @param group as in {@code GroupSettings.group()} */
    public WorkerAdmin(CoordinationStore store, String group, MessageStream stream, DeadLetters letters) {
        this.group = group;
        this.stream = stream;
        this.letters = letters;
        this.directory = new PartitionDirectory(store, group);
        this.control = new GroupControl(store, group);
        this.cursors = new CursorStore(store, group);
        this.migrations = new MigrationControl(store, group, InstantSource.system());
    }

    /** Workers, and partitions with their owners and cursors. */
    public GroupReport status() {
        Map<String, Entry> written = cursors.values();
        StoredClaims claims = control.claims();
        List<GroupReport.Owned> owned = new ArrayList<>();
        for (Partition partition : directory.read().all()) {
            StoredClaim claim = claims.claims().get(partition.index());
            owned.add(
                    claim == null
                            ? new GroupReport.Owned(partition, "", "", "", UNKNOWN)
                            : owned(partition, claim, written));
        }
        String partitioning = directory.partitions().map(Partitions::describe).orElse("");
        return new GroupReport(group, partitioning, List.copyOf(claims.live().keySet()), owned);
    }

    private static GroupReport.Owned owned(Partition partition, StoredClaim claim, Map<String, Entry> written) {
        return new GroupReport.Owned(
                partition,
                claim.live() ? claim.owner() : "",
                claim.token().toString(),
                claim.position(),
                low(partition, claim, written));
    }

    /** As the owner wrote it under this very claim, else as the claim has it. */
    private static long low(Partition partition, StoredClaim claim, Map<String, Entry> written) {
        Entry value = written.get(claim.incarnation());
        Cursor cursor = value == null ? null : CursorTable.parse(value.value()).of(partition.index(), claim.token());
        if (cursor != null) {
            return cursor.low();
        }
        return claim.position().isEmpty()
                ? UNKNOWN
                : Cursor.parse(claim.position()).low();
    }

    public PartitionMap partitions() {
        return directory.read();
    }

    /**
     * Gives the group other partitions, see {@link PartitionDirectory#changeTo}. Running workers follow; workers that start
     * afterwards must be configured with the new partitions.
     *
     * @throws InvalidInputException when the stream does not fit them, or no worker of the group ever started
     */
    public PartitionChange changePartitions(Partitions wanted, ConsumerMode mode) {
        PartitionMap before = directory.read();
        if (before.version() == 0) {
            throw new InvalidInputException("group " + group + " has no partitions to change: check its name and the"
                    + " bucket, or start its first worker with the partitions you want");
        }
        StreamFit fit = StreamFit.of(stream.state(), wanted, wanted.known().size(), mode)
                .orRefuse();
        directory.changeTo(wanted, stream);
        new Discovery(directory, stream, control::grow).step();
        PartitionMap after = directory.read();
        int configured = (int) after.open().stream()
                .filter(partition -> wanted.idOf(partition.filter()).isPresent())
                .count();
        return PartitionChange.between(before, after, configured, fit.warnings());
    }

    /**
     * Changes the consumer mode of the whole group while it runs, see {@link MigrationControl#start}.
     *
     * @param from the mode of the group now, as a running worker knows it
     * @param lag unfinished messages of that worker
     * @return what an operator should change on the stream
     * @throws InvalidInputException when the stream does not fit the mode, the lag is above the limit, or a migration runs
     *     already
     */
    public List<String> migrate(ConsumerMode from, ConsumerMode to, long lag, MigrationLimits limits) {
        StreamState state = stream.state();
        Partitions divided = directory
                .partitions()
                .orElseThrow(() -> new InvalidInputException("group " + group + " has no partitions yet: check its name"
                        + " and the bucket, or start its first worker with the mode you want"));
        int open = directory.read().open().size();
        StreamFit fit = StreamFit.of(state, divided, open, to).orRefuse();
        migrations.start(from, to, lag, limits, state);
        return fit.warnings();
    }

    /** Shows and ends the migration that {@link #migrate} started. */
    public MigrationControl migrations() {
        return migrations;
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
