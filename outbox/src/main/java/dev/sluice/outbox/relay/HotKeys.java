package dev.sluice.outbox.relay;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which keys make most of the rows of one partition, in bounded memory (the space-saving algorithm): a key that has more than
 * one row in {@code capacity} is surely among those counted, and is counted too high by that much at most. Counts are
 * halved when {@code WINDOW} rows have come, so that what was hot long ago is forgotten.
 */
final class HotKeys {
    private static final int CAPACITY = 128;
    private static final long WINDOW = 100_000;
    private static final long FEWEST_ROWS = 1_000;
    private static final double HOT = 0.05;

    private final Map<String, long[]> counts = new HashMap<>();
    private long rows;

    /** @param share of the partition's rows, at most 1 */
    record Hot(String key, double share) {}

    synchronized void add(String key) {
        long[] count = counts.get(key);
        if (count != null) {
            count[0]++;
        } else {
            long inherited = counts.size() < CAPACITY ? 0 : evict();
            counts.put(key, new long[] {inherited + 1, inherited});
        }
        if (++rows >= WINDOW) {
            halve();
        }
    }

    private long evict() {
        Map.Entry<String, long[]> least = null;
        for (Map.Entry<String, long[]> entry : counts.entrySet()) {
            if (least == null || entry.getValue()[0] < least.getValue()[0]) {
                least = entry;
            }
        }
        if (least == null) {
            return 0;
        }
        counts.remove(least.getKey());
        return least.getValue()[0];
    }

    private void halve() {
        rows /= 2;
        counts.values().forEach(count -> {
            count[0] /= 2;
            count[1] /= 2;
        });
    }

    /** The keys that surely have more than a twentieth of the rows, hottest first; none before there are enough rows. */
    synchronized List<Hot> hottest() {
        List<Hot> hot = new ArrayList<>();
        if (rows >= FEWEST_ROWS) {
            counts.forEach((key, count) -> {
                double share = (double) (count[0] - count[1]) / rows;
                if (share > HOT) {
                    hot.add(new Hot(key, share));
                }
            });
        }
        hot.sort(Comparator.comparingDouble(Hot::share).reversed());
        return hot;
    }
}
