package dev.sluice.outbox.table;

import java.util.Collection;
import java.util.List;

/**
 * What a fetch passes over.
 *
 * @param keys a few: every row is compared with them
 * @param parked also the keys that wait by what {@code outbox_parked} says now, however many they are
 * @param topics those that take nothing at the moment
 */
public record LeftOut(Collection<String> keys, boolean parked, Collection<String> topics) {
    public static final LeftOut NOTHING = new LeftOut(List.of(), false, List.of());

    public static LeftOut keys(Collection<String> keys) {
        return new LeftOut(keys, false, List.of());
    }
}
