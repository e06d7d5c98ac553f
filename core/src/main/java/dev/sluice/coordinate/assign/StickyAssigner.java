package dev.sluice.coordinate.assign;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The default: balanced, and of all balanced assignments one that moves the fewest partitions.
 *
 * <p>Balanced: a member's share is {@code partitions × weight / sum of weights}, and it owns that many, rounded down or
 * up. Fewest moves: a member that owns c and gets quota q keeps {@code min(c, q)}; the roundings up are worth one kept
 * partition to every member that owns more than its share rounded down, and nothing to the others, so they go to those
 * members first. No choice of quotas keeps more, and what is kept is not moved.
 */
public final class StickyAssigner implements Assigner {
    @Override
    public Map<Integer, String> assign(int partitions, List<Candidate> members, Map<Integer, String> current) {
        List<Candidate> sorted = Roster.of(partitions, members);
        Map<Integer, String> owners = new TreeMap<>();
        if (sorted.isEmpty()) {
            return owners;
        }
        List<Share> shares = shares(partitions, sorted, current);
        Map<String, Share> byId = new HashMap<>();
        shares.forEach(share -> byId.put(share.id, share));
        List<Integer> free = new ArrayList<>();
        for (int p = 0; p < partitions; p++) {
            String before = current.get(p);
            Share owner = before == null ? null : byId.get(before);
            if (owner != null && owner.takes()) {
                owners.put(p, owner.id);
            } else {
                free.add(p);
            }
        }
        deal(free, shares, owners);
        return owners;
    }

    private static List<Share> shares(int partitions, List<Candidate> sorted, Map<Integer, String> current) {
        long total = sorted.stream().mapToLong(Candidate::weight).sum();
        Map<String, Integer> owned = new HashMap<>();
        current.forEach((p, owner) -> {
            if (p >= 0 && p < partitions) {
                owned.merge(owner, 1, Integer::sum);
            }
        });
        List<Share> shares = sorted.stream()
                .map(member -> new Share(member, partitions, total, owned.getOrDefault(member.id(), 0)))
                .toList();
        int left = partitions - shares.stream().mapToInt(share -> share.quota).sum();
        shares.stream()
                .filter(share -> share.rest > 0)
                .sorted(Share.FIRST_ROUNDED_UP)
                .limit(left)
                .forEach(share -> share.quota++);
        return shares;
    }

    /** In turns, so that neighbouring partitions, often busy together, come to different members. */
    private static void deal(List<Integer> free, List<Share> shares, Map<Integer, String> owners) {
        int turn = 0;
        for (int p : free) {
            while (!shares.get(turn % shares.size()).takes()) {
                turn++;
            }
            owners.put(p, shares.get(turn % shares.size()).id);
            turn++;
        }
    }

    /** What one member is to own; {@link #takes} counts towards it. */
    private static final class Share {
        static final Comparator<Share> FIRST_ROUNDED_UP = Comparator.comparing((Share share) -> !share.wouldKeepOneMore)
                .thenComparing(
                        Comparator.comparingLong((Share share) -> share.rest).reversed())
                .thenComparing(share -> share.id);

        final String id;
        final long rest;
        final boolean wouldKeepOneMore;
        int quota;
        private int taken;

        Share(Candidate member, int partitions, long totalWeight, int owned) {
            this.id = member.id();
            long exact = (long) partitions * member.weight();
            this.quota = (int) (exact / totalWeight);
            this.rest = exact % totalWeight;
            this.wouldKeepOneMore = owned > quota;
        }

        boolean takes() {
            if (taken == quota) {
                return false;
            }
            taken++;
            return true;
        }
    }
}
