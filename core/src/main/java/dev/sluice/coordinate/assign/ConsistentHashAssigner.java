package dev.sluice.coordinate.assign;

import dev.sluice.model.Fnv1a64;
import dev.sluice.model.InvalidInputException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A ring of hashes: every member stands at many points of it, and a partition, hashed as {@code partition-{id}},
 * belongs to the first point at or after its own. Anyone can compute it from the members alone; a member that joins
 * takes only what becomes its own, one that leaves gives away only what it had. The price is balance: shares differ by
 * chance, the less the more points there are.
 */
public final class ConsistentHashAssigner implements Assigner {
    /** Shares of equal members then differ by some ten percent. */
    public static final int DEFAULT_POINTS = 128;

    private static final int MAX_POINTS = 4_096;

    private final int points;

    /** @param points how often a member of weight 1 stands on the ring; one of weight w stands there w times as often */
    public ConsistentHashAssigner(int points) {
        if (points < 1 || points > MAX_POINTS) {
            throw new InvalidInputException(
                    "the points of a member on the ring are 1 to " + MAX_POINTS + ", not " + points);
        }
        this.points = points;
    }

    public ConsistentHashAssigner() {
        this(DEFAULT_POINTS);
    }

    @Override
    public Map<Integer, String> assign(int partitions, List<Candidate> members, Map<Integer, String> current) {
        List<Candidate> sorted = Roster.of(partitions, members);
        Map<Integer, String> owners = new TreeMap<>();
        if (sorted.isEmpty()) {
            return owners;
        }
        Point[] ring = ring(sorted);
        for (int p = 0; p < partitions; p++) {
            owners.put(p, at(ring, mixed(Fnv1a64.hash("partition-" + p))));
        }
        return owners;
    }

    private Point[] ring(List<Candidate> members) {
        Point[] ring =
                new Point[members.stream().mapToInt(m -> m.weight() * points).sum()];
        int next = 0;
        for (Candidate member : members) {
            long hash = Fnv1a64.add(Fnv1a64.hash(member.id()), '#');
            for (int k = 0; k < member.weight() * points; k++) {
                ring[next++] = new Point(mixed(Fnv1a64.add(hash, Integer.toString(k))), member.id());
            }
        }
        Arrays.sort(ring, Point.ORDER);
        return ring;
    }

    private static String at(Point[] ring, long hash) {
        int low = 0;
        int high = ring.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(ring[middle].hash, hash) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return ring[low == ring.length ? 0 : low].member;
    }

    /**
     * FNV-1a hardly changes the high bits of texts that differ in their last characters, and a ring is cut by the high
     * bits: this spreads every bit over all of them. A bijection, so nothing collides that did not before.
     */
    private static long mixed(long hash) {
        long h = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        h = (h ^ (h >>> 27)) * 0x94d049bb133111ebL;
        return h ^ (h >>> 31);
    }

    private record Point(long hash, String member) {
        /** By member where two hash alike, so that the ring does not depend on the order of the members. */
        static final Comparator<Point> ORDER =
                ((Comparator<Point>) (a, b) -> Long.compareUnsigned(a.hash, b.hash)).thenComparing(Point::member);
    }
}
