package dev.sluice.coordinate.assign;

import java.util.List;
import java.util.Map;

/**
 * Decides which member shall own which partition. A pure function: the same input gives the same answer on every
 * machine, in whatever order the members come, so a new leader confirms what the old one decided.
 *
 * <p>Every partition from 0 on gets exactly one owner, and the map is ordered by partition. Without members the map is
 * empty: nobody owns anything. What {@code current} says about owners that are no candidates, or about partitions that
 * do not exist, counts for nothing.
 */
@FunctionalInterface
public interface Assigner {
    /**
     * @param current the owners so far, by partition; a partition without one is left out
     * @throws dev.sluice.model.InvalidInputException when there is no partition, or two members have one id
     */
    Map<Integer, String> assign(int partitions, List<Candidate> members, Map<Integer, String> current);

    /** How many partitions are taken away from one owner and given to another; first owners are no moves. */
    static int moves(Map<Integer, String> before, Map<Integer, String> after) {
        int moves = 0;
        for (Map.Entry<Integer, String> owned : before.entrySet()) {
            String next = after.get(owned.getKey());
            if (next != null && !next.equals(owned.getValue())) {
                moves++;
            }
        }
        return moves;
    }
}
