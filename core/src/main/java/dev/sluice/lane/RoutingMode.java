package dev.sluice.lane;

import dev.sluice.model.InvalidInputException;
import java.util.Locale;

/**
 * What becomes of a match whose subscription names no gateway, or one that nobody knows (any more). A known gateway gets
 * its own matches in every mode.
 */
public enum RoutingMode {
    /** It waits as a position until its gateway registers. */
    DIRECT,
    /** A ring of the live gateways places it, and takes over for a gateway whose grace is over. */
    CONSISTENT_HASH,
    /** All live gateways get it, at low priority, and look for themselves whose it is; while none is live it waits. */
    BROADCAST;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static RoutingMode parse(String text) {
        for (RoutingMode mode : values()) {
            if (mode.text().equals(text)) {
                return mode;
            }
        }
        throw new InvalidInputException("routing mode " + InvalidInputException.quote(text)
                + " is not one of direct, consistent_hash, broadcast");
    }
}
