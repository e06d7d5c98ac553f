package dev.sluice.worker.consume;

import dev.sluice.worker.lane.LaneRunner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Cuts partitions into few groups of near positions, so that one reader serves each group and none of its partitions waits
 * long for the backlog of another.
 */
final class NearCursors {
    static final int MOST_GROUPS = 8;

    private NearCursors() {}

    /** @param near positions this close are never cut apart */
    static List<List<LaneRunner>> groups(List<LaneRunner> lanes, long near) {
        List<LaneRunner> sorted = new ArrayList<>(lanes);
        sorted.sort(Comparator.comparingLong((LaneRunner lane) -> lane.lane().coverage())
                .thenComparingInt(lane -> lane.lane().partition().index()));
        List<Integer> cuts = new ArrayList<>();
        for (int i = 1; i < sorted.size(); i++) {
            if (distance(sorted, i) > near) {
                cuts.add(i);
            }
        }
        cuts.sort(Comparator.comparingLong((Integer i) -> -distance(sorted, i)));
        List<Integer> kept = new ArrayList<>(cuts.subList(0, Math.min(cuts.size(), MOST_GROUPS - 1)));
        kept.sort(Comparator.naturalOrder());
        List<List<LaneRunner>> groups = new ArrayList<>();
        int from = 0;
        for (int cut : kept) {
            groups.add(List.copyOf(sorted.subList(from, cut)));
            from = cut;
        }
        groups.add(List.copyOf(sorted.subList(from, sorted.size())));
        return groups;
    }

    private static long distance(List<LaneRunner> sorted, int i) {
        return sorted.get(i).lane().coverage() - sorted.get(i - 1).lane().coverage();
    }
}
