package dev.sluice.coordinate;

import dev.sluice.testkit.simulation.SimulatedStore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Looks at every value on its way into the store, and fails when it takes something back. */
final class ClaimHistory {
    private final SimulatedStore store;
    private final GroupKeys keys;
    private final FencedCounters counters;
    private final Map<String, ClaimRecord> claims = new TreeMap<>();
    private long leaderEpoch;

    ClaimHistory(SimulatedStore store, GroupKeys keys, FencedCounters counters) {
        this.store = store;
        this.keys = keys;
        this.counters = counters;
    }

    void check(Entry next) {
        if (next.key().startsWith(keys.group() + "/claims/")) {
            checkClaim(next.key(), ClaimRecord.of(next));
        } else if (next.key().equals(keys.assignment())) {
            long epoch = Assignment.of(next).epoch();
            require(epoch >= leaderEpoch, "a leader of epoch " + epoch + " wrote after one of epoch " + leaderEpoch);
            leaderEpoch = epoch;
        } else if (next.key().equals(keys.layout())) {
            store.get(keys.layout()).ifPresent(before -> checkLayout(Layout.of(before), Layout.of(next)));
        }
    }

    private void checkClaim(String key, ClaimRecord next) {
        ClaimRecord before = claims.put(key, next);
        int partition = keys.partition(key);
        if (before != null) {
            require(!before.closed(), "closed claim " + key + " was changed");
            require(!next.token().isOlderThan(before.token()), "the token of " + key + " went back to " + next.token());
            require(
                    position(next) >= position(before),
                    "the position of " + key + " went back from " + before.position() + " to " + next.position());
            boolean sameOwner =
                    next.owner().equals(before.owner()) && next.incarnation().equals(before.incarnation());
            require(
                    sameOwner || next.isFree() || before.token().isOlderThan(next.token()),
                    "the owner of " + key + " changed under one token");
            boolean ownersWrite = sameOwner || next.isFree() || position(next) == position(before);
            require(ownersWrite, "a claim of " + key + " changed its position");
        }
        long applied = counters.applied(next.token().generation(), partition);
        require(
                position(next) <= Math.max(applied, start(next.token().generation())),
                "position " + next.position() + " of " + key + " is past what was processed, " + applied);
    }

    private long start(long generation) {
        return store.get(keys.layout())
                .map(Layout::of)
                .filter(layout -> layout.generation() == generation || layout.isDraining())
                .map(layout -> number(layout.start()))
                .orElse(0L);
    }

    private void checkLayout(Layout before, Layout next) {
        require(next.generation() >= before.generation(), "the generation went back");
        require(
                next.generation() > before.generation()
                        || before.isDraining()
                        || next.partitions() >= before.partitions(),
                "a layout shrank in place");
        if (before.isDraining() && !next.isDraining()) {
            List<Entry> old = store.list(keys.claims(before.generation() - 1));
            require(old.size() == before.oldPartitions(), "a layout was opened before all old claims were closed");
            long lowest = old.stream()
                    .map(ClaimRecord::of)
                    .peek(claim -> require(claim.closed(), "a layout was opened while an old claim was open"))
                    .mapToLong(ClaimHistory::position)
                    .min()
                    .orElse(0);
            require(number(next.start()) == lowest, "a layout starts at " + next.start() + ", not at " + lowest);
        }
    }

    private static long position(ClaimRecord claim) {
        return number(claim.position());
    }

    static long number(String position) {
        return position.isEmpty() ? 0 : Long.parseLong(position);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
