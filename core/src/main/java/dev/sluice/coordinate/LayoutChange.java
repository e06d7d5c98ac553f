package dev.sluice.coordinate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Carries a change of the number of partitions through, after the layout says so: closes every claim of the old generation
 * that has no live owner (also those nobody ever took), and when all are closed opens the new generation at the lowest
 * position found. Closing is a compare-and-set that nobody can undo, so a member that is behind cannot take an old
 * partition any more. Whoever leads next goes on where this one stopped.
 */
final class LayoutChange {
    private final CoordinationStore store;
    private final GroupKeys keys;
    private final Clockwork clockwork;
    private final @Nullable BinaryOperator<String> lower;
    private final GroupJournal journal;

    LayoutChange(
            CoordinationStore store,
            GroupKeys keys,
            Clockwork clockwork,
            @Nullable BinaryOperator<String> lower,
            GroupJournal journal) {
        this.store = store;
        this.keys = keys;
        this.clockwork = clockwork;
        this.lower = lower;
        this.journal = journal;
    }

    /** Whether the new generation is open now. Does nothing where nobody says which position is lower. */
    boolean step(Incarnation leader, Layout layout, long revision) {
        if (lower == null) {
            return false;
        }
        long old = layout.generation() - 1;
        Map<Integer, Entry> claims = new TreeMap<>();
        store.list(keys.claims(old)).forEach(entry -> claims.put(keys.partition(entry.key()), entry));
        // Read after the claims: an owner that is not listed is dead.
        LiveMembers live = LiveMembers.read(store, keys, clockwork);
        List<String> positions = new ArrayList<>();
        for (int partition = 0; partition < layout.oldPartitions(); partition++) {
            Entry entry = claims.get(partition);
            ClaimRecord claim =
                    entry == null ? ClaimRecord.unclaimed(old, layout.startOf(partition)) : ClaimRecord.of(entry);
            if (claim.closed() || close(leader, partition, claim, entry, live)) {
                positions.add(claim.position());
            }
        }
        return positions.size() == layout.oldPartitions() && open(leader, layout, revision, positions, lower);
    }

    private boolean close(
            Incarnation leader, int partition, ClaimRecord claim, @Nullable Entry entry, LiveMembers live) {
        if (!claim.isFree() && live.isLive(claim.owner(), claim.incarnation())) {
            return false;
        }
        long expected = entry == null ? CoordinationStore.ABSENT : entry.revision();
        String key = keys.claim(claim.token().generation(), partition);
        return leader.lease().put(key, claim.close().toBytes(), expected).isPresent();
    }

    private boolean open(
            Incarnation leader, Layout layout, long revision, List<String> positions, BinaryOperator<String> lowerOne) {
        String start = positions.stream().reduce(lowerOne).orElse(layout.start());
        Layout open = layout.open(start);
        boolean opened =
                leader.lease().put(keys.layout(), open.toBytes(), revision).isPresent();
        if (opened) {
            journal.opened(open);
        }
        return opened;
    }
}
