package dev.sluice.coordinate;

import dev.sluice.coordinate.assign.Assigner;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Spreads a large reassignment over time. Every planned move costs the store a few requests, and without this all members of
 * a large group would make theirs at the same moment. A partition goes on with its old owner until its turn, so the pause
 * of each stays as short as that of a single move.
 */
final class Waves {
    /**
     * Four requests each: first look, release, second look, claim. With the nine that each member makes in a second anyway, a
     * group of a hundred members stays below 2,000 requests a second.
     */
    private static final int MOVES_PER_SECOND = 250;

    private Assignment before = Assignment.NONE;
    private Wave last = Wave.NONE;

    /**
     * @param spread over which the moves are to be begun
     * @param handedOver partitions whose owner by the assignment before lives, and gives them up in its own time
     */
    record Wave(Duration spread, Set<Integer> handedOver) {
        static final Wave NONE = new Wave(Duration.ZERO, Set.of());

        /** When the k-th of n partitions has its turn. */
        Duration turn(int k, int n) {
            return spread.multipliedBy(k).dividedBy(Math.max(1, n));
        }
    }

    Wave next(Assignment now, LiveMembers live, Set<Integer> wanted) {
        if (now.equals(before)) {
            return last;
        }
        Map<Integer, String> owners = now.generation() == before.generation() ? before.owners() : Map.of();
        Set<Integer> handedOver = new TreeSet<>();
        for (int partition : wanted) {
            String owner = owners.get(partition);
            if (owner != null && live.incarnations().containsKey(owner)) {
                handedOver.add(partition);
            }
        }
        Duration spread =
                Duration.ofSeconds(Assigner.moves(owners, now.owners())).dividedBy(MOVES_PER_SECOND);
        before = now;
        last = new Wave(spread, handedOver);
        return last;
    }
}
