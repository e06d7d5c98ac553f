package dev.sluice.lane;

import dev.sluice.model.Fnv1a64;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Places what has no gateway of its own on those there are: by consistent hashing, and none gets more than a quarter above
 * its share. A placement stays until its gateway leaves or has too many, because moving means reading again.
 */
final class Ring {
    private static final int POINTS = 64;
    private static final double ABOVE_SHARE = 1.25;

    private final TreeMap<Long, String> points = new TreeMap<>();
    private final Set<String> gateways = new TreeSet<>();
    private final Map<String, String> placed = new HashMap<>();

    /** Where it is placed; null while there is no gateway. */
    @Nullable
    synchronized String place(String unit) {
        String now = placed.get(unit);
        if (now == null && !gateways.isEmpty()) {
            now = free(unit, bound(placed.size() + 1));
            placed.put(unit, now);
        }
        return now;
    }

    /** These gateways are there now. Returns what is placed elsewhere, or nowhere, because of it. */
    synchronized List<String> change(Collection<String> there) {
        gateways.clear();
        gateways.addAll(there);
        points.clear();
        for (String gateway : gateways) {
            for (int k = 0; k < POINTS; k++) {
                points.put(spread(Fnv1a64.add(Fnv1a64.hash(gateway), k)), gateway);
            }
        }
        List<String> moving = new ArrayList<>();
        int bound = bound(placed.size());
        Map<String, Integer> loads = new HashMap<>();
        for (String unit : new TreeSet<>(placed.keySet())) {
            String gateway = placed.getOrDefault(unit, "");
            if (!gateways.contains(gateway) || loads.merge(gateway, 1, Integer::sum) > bound) {
                moving.add(unit);
            }
        }
        moving.forEach(placed::remove);
        moving.forEach(this::place);
        return moving;
    }

    private int bound(int units) {
        return gateways.isEmpty() ? 0 : (int) Math.ceil(units * ABOVE_SHARE / gateways.size());
    }

    private String free(String unit, int bound) {
        long at = spread(Fnv1a64.hash(unit));
        for (String gateway : points.tailMap(at, true).values()) {
            if (load(gateway) < bound) {
                return gateway;
            }
        }
        for (String gateway : points.values()) {
            if (load(gateway) < bound) {
                return gateway;
            }
        }
        throw new IllegalStateException("more than all gateways can have"); // the bounds add up to more than there is
    }

    private long load(String gateway) {
        return placed.values().stream().filter(gateway::equals).count();
    }

    /** The last characters of a name hardly move the high bits of its hash. */
    static long spread(long hash) {
        long mixed = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ mixed >>> 33;
    }
}
