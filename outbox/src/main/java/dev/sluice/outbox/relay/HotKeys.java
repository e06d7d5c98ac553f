package dev.sluice.outbox.relay;

import dev.sluice.outbox.table.Row;
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
    /** Five rows a second are judged within a minute. */
    private static final long FEWEST_ROWS = 300;

    private static final double HOT = 0.05;
    /** Of large batches one row in so many is counted, for all of them. */
    private static final int SAMPLE = 4;

    private static final int LARGE = 64;

    private final Map<String, long[]> counts = new HashMap<>();
    private long rows;
    private int next;

    /** @param share of the partition's rows, at most 1 */
    record Hot(String key, double share) {}

    /** Begins at another row each time: writers may write the same few keys over and over, in the same order. */
    synchronized void sent(List<Row> batch) {
        int step = batch.size() < LARGE ? 1 : SAMPLE;
        for (int i = step == 1 ? 0 : Math.floorMod(next++, step); i < batch.size(); i += step) {
            add(batch.get(i).key(), step);
        }
    }

    private void add(String key, int weight) {
        long[] count = counts.get(key);
        if (count != null) {
            count[0] += weight;
        } else {
            long inherited = counts.size() < CAPACITY ? 0 : evict();
            counts.put(key, new long[] {inherited + weight, inherited});
        }
        rows += weight;
        if (rows >= WINDOW) {
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
