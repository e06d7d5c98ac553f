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

    /** The ranges below the highest one. */
    private final TreeMap<Long, Long> lastByFirst = new TreeMap<>();

    /** The highest range, which most numbers continue; empty at first. */
    private long first = 1;

    private long last;

    boolean contains(long seq) {
        if (seq >= first) {
            return seq <= last;
        }
        Map.Entry<Long, Long> range = lastByFirst.floorEntry(seq);
        return range != null && range.getValue() >= seq;
    }

    void add(long seq) {
        if (seq == last + 1) {
            last = seq;
        } else if (seq > last) {
            if (last > 0) {
                lastByFirst.put(first, last);
            }
            first = seq;
            last = seq;
        } else if (!contains(seq)) {
            addBelow(seq);
        }
        if (lastByFirst.size() >= MOST) {
            lastByFirst.pollFirstEntry();
        }
    }

    /** Adds a number below the highest range, and joins the ranges between which it lies. */
    private void addBelow(long seq) {
        Map.Entry<Long, Long> below = lastByFirst.lowerEntry(seq);
        long from = below != null && below.getValue() == seq - 1 ? below.getKey() : seq;
        if (seq == first - 1) {
            lastByFirst.remove(from);
            first = from;
        } else {
            Long above = lastByFirst.remove(seq + 1);
            lastByFirst.put(from, above == null ? seq : above);
        }
    }
}
