package dev.sluice.devmongo.oplog;

import java.util.Map;

/** How much history is kept: whichever of the two is reached first. */
public record OplogLimit(long maxBytes, int maxEntries) {
    public static final OplogLimit DEFAULT = new OplogLimit(512L << 20, Integer.MAX_VALUE);

    public OplogLimit {
        if (maxBytes <= 0 || maxEntries <= 0) {
            throw new IllegalArgumentException("An oplog must be allowed at least one byte and one entry.");
        }
    }

    /** Counting a skip list is slow, so entries are counted only where a limit was set. */
    boolean exceededBy(long bytes, Map<?, ?> entries) {
        return bytes > maxBytes || maxEntries != Integer.MAX_VALUE && entries.size() > maxEntries;
    }
}
