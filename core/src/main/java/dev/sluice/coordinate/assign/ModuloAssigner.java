package dev.sluice.coordinate.assign;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Of N members, sorted by id, the i-th owns {@code {p | p mod N == i}}. Anyone can compute it from the members alone,
 * without knowing what was before; the price is that nearly everything moves when a member joins or leaves. Weights
 * count for nothing.
 */
public final class ModuloAssigner implements Assigner {
    @Override
    public Map<Integer, String> assign(int partitions, List<Candidate> members, Map<Integer, String> current) {
        List<Candidate> sorted = Roster.of(partitions, members);
        Map<Integer, String> owners = new TreeMap<>();
        if (sorted.isEmpty()) {
            return owners;
        }
        for (int p = 0; p < partitions; p++) {
            owners.put(p, sorted.get(p % sorted.size()).id());
        }
        return owners;
    }
}
