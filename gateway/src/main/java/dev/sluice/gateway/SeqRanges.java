package dev.sluice.gateway;

import java.util.Map;
import java.util.TreeMap;

/**
 * The sequence numbers handled so far, as ranges. Batches of different documents overtake each other, so that "at or
 * below the last" would drop what was never handled; and numbers may be missing for ever (rejected, or never sent). When
 * there are too many gaps the lowest range is forgotten: a repeat from there is not recognised by its number any more.
 */
final class SeqRanges {
    private static final int MOST = 128;

    private final TreeMap<Long, Long> lastByFirst = new TreeMap<>();

    boolean contains(long seq) {
        Map.Entry<Long, Long> range = lastByFirst.floorEntry(seq);
        return range != null && range.getValue() >= seq;
    }

    void add(long seq) {
        if (contains(seq)) {
            return;
        }
        Map.Entry<Long, Long> below = lastByFirst.lowerEntry(seq);
        long first = below != null && below.getValue() == seq - 1 ? below.getKey() : seq;
        Long above = lastByFirst.remove(seq + 1);
        lastByFirst.put(first, above == null ? seq : above);
        if (lastByFirst.size() > MOST) {
            lastByFirst.pollFirstEntry();
        }
    }
}
