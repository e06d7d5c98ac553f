package dev.sluice.subscribe;

import java.util.List;
import java.util.Set;

/**
 * What became of a renewal.
 *
 * @param unknown ids that nobody has: they ended, or never were; to be registered again
 * @param gateways whose subscriptions were renewed
 */
public record Renewal(List<String> unknown, Set<String> gateways) {
    public Renewal {
        unknown = List.copyOf(unknown);
        gateways = Set.copyOf(gateways);
    }
}
