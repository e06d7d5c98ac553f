package dev.sluice.coordinate;

import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The saved positions of a group, for whoever operates it: to look at, to back up, to put back. A running group saves them
 * through its claims; here only partitions without a live owner can be changed, by a compare-and-set that raises the epoch,
 * so that whoever held the claim before is fenced.
 */
public final class Checkpoints {
    private final CoordinationStore store;
    private final GroupKeys keys;

    /** @param group as in {@link GroupSettings#group()} */
    public Checkpoints(CoordinationStore store, String group) {
        this.store = store;
        this.keys = new GroupKeys(group);
    }

    /** Those of all partitions there are now, in their order. */
    public List<PartitionCheckpoint> list() {
        return layout().map(this::list).orElse(List.of());
    }

    private List<PartitionCheckpoint> list(Layout layout) {
        Map<Integer, ClaimRecord> claims = new HashMap<>();
        long generation = layout.claimedGeneration();
        for (Entry entry : store.list(keys.claims(generation))) {
            claims.put(keys.partition(entry.key()), ClaimRecord.of(entry));
        }
        int partitions = layout.isDraining() ? layout.oldPartitions() : layout.partitions();
        List<PartitionCheckpoint> all = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            ClaimRecord claim =
                    claims.getOrDefault(partition, ClaimRecord.unclaimed(generation, layout.startOf(partition)));
            all.add(new PartitionCheckpoint(partition, claim.token(), claim.position(), claim.owner()));
        }
        return all;
    }

    public Optional<PartitionCheckpoint> load(int partition) {
        return list().stream()
                .filter(checkpoint -> checkpoint.partition() == partition)
                .findFirst();
    }

    /**
     * Sets the position of a partition that nobody owns.
     *
     * @param token the one it was seen with: whoever claimed it since makes this a refusal
     * @return whether it was set; not when the token is another, or a live member owns the partition
     */
    public boolean save(int partition, FencingToken token, String position) {
        return change(openLayout(), partition, token, token.epoch(), position);
    }

    /** Lets a partition that nobody owns start anew; the same conditions as for {@link #save}. */
    public boolean delete(int partition, FencingToken token) {
        Layout layout = openLayout();
        return change(layout, partition, token, token.epoch(), layout.startOf(partition));
    }

    private boolean change(Layout layout, int partition, FencingToken token, long atLeast, String position) {
        Optional<Entry> entry = store.get(keys.claim(layout.generation(), partition));
        ClaimRecord now = entry.map(ClaimRecord::of)
                .orElse(ClaimRecord.unclaimed(layout.generation(), layout.startOf(partition)));
        if (partition >= layout.partitions() || now.closed() || !now.token().equals(token) || isOwned(now)) {
            return false;
        }
        long epoch = Math.max(now.token().epoch(), atLeast) + 1;
        ClaimRecord next = new ClaimRecord("", "", new FencingToken(layout.generation(), epoch), position, false);
        long expected = entry.map(Entry::revision).orElse(CoordinationStore.ABSENT);
        return store.put(keys.claim(layout.generation(), partition), next.toBytes(), expected)
                .isPresent();
    }

    /** Asked after the claim was read, so an owner that is not listed is dead. */
    private boolean isOwned(ClaimRecord claim) {
        return !claim.isFree()
                && claim.incarnation().equals(store.leases(keys.members()).get(keys.member(claim.owner())));
    }

    /**
     * Lays a group out that has never been started, with its first generation. Whoever heard of an earlier life of the
     * group, whose store was lost, refuses what is older or the same: the generation is to be higher than that life's, such
     * as the time of the start.
     *
     * @param start the position every partition begins with; empty: the partition has no position yet
     * @return whether it was new
     */
    public boolean begin(long generation, int partitions, String start) {
        byte[] layout = Layout.open(generation, partitions, start).toBytes();
        return store.put(keys.layout(), layout, CoordinationStore.ABSENT).isPresent();
    }

    /**
     * Lays a group out that has never been started, each partition at a position of its own. The positions are written
     * first, and nobody sees them before the layout: a member that starts meanwhile lays the group out itself, and then this
     * is refused. So no partition ever begins without its position.
     *
     * @param generation one that no earlier call had, such as the time
     * @param positions by partition; empty: the partition has no position yet
     * @return whether the group was new
     */
    public boolean begin(long generation, List<String> positions) {
        for (int partition = 0; partition < positions.size(); partition++) {
            FencingToken token = new FencingToken(generation, 1);
            ClaimRecord claim = new ClaimRecord("", "", token, positions.get(partition), false);
            String key = keys.claim(generation, partition);
            if (store.put(key, claim.toBytes(), CoordinationStore.ABSENT).isEmpty()) {
                throw new InvalidInputException("generation " + generation + " of group " + keys.group()
                        + " was used before: take a higher one");
            }
        }
        return begin(generation, positions.size(), "");
    }

    /** All positions as one JSON text, for a backup. */
    public CheckpointBackup export() {
        Layout layout = layout().orElseThrow(
                        () -> new InvalidInputException("group " + keys.group() + " has nothing to export yet"));
        return new CheckpointBackup(keys.group(), layout.claimedGeneration(), list(layout));
    }

    /**
     * Puts a backup back, partition by partition: positions may go back, that is what it is for. Into an empty store it
     * brings the layout as well, with the next generation, so that the tokens are above all of the backup's.
     *
     * @return the partitions that were left as they are because a live member owns them, or claimed them meanwhile
     * @throws InvalidInputException when the backup is of another number of partitions
     */
    public List<Integer> importAll(CheckpointBackup backup) {
        Layout layout = layout().orElseGet(() -> create(backup));
        if (layout.isDraining() || layout.partitions() != backup.checkpoints().size()) {
            throw new InvalidInputException(
                    "the backup is of " + backup.checkpoints().size() + " partitions, the group has "
                            + layout.partitions() + (layout.isDraining() ? " and is being changed" : "")
                            + ": bring the group to the same number first");
        }
        List<Integer> refused = new ArrayList<>();
        List<PartitionCheckpoint> now = list(layout);
        for (PartitionCheckpoint saved : backup.checkpoints()) {
            FencingToken token = now.get(saved.partition()).token();
            if (!change(layout, saved.partition(), token, saved.token().epoch(), saved.position())) {
                refused.add(saved.partition());
            }
        }
        return refused;
    }

    private Layout create(CheckpointBackup backup) {
        Layout layout =
                Layout.open(backup.generation() + 1, backup.checkpoints().size(), "");
        if (store.put(keys.layout(), layout.toBytes(), CoordinationStore.ABSENT).isEmpty()) {
            throw new InvalidInputException("group " + keys.group() + " has just been started: import again");
        }
        return layout;
    }

    private Optional<Layout> layout() {
        return store.get(keys.layout()).map(Layout::of);
    }

    private Layout openLayout() {
        return layout().filter(layout -> !layout.isDraining())
                .orElseThrow(() -> new InvalidInputException(
                        "the number of partitions of group " + keys.group() + " is not settled: wait until it is"));
    }
}
