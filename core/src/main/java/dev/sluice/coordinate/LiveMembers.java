package dev.sluice.coordinate;

import java.util.Map;
import java.util.TreeMap;

/**
 * Which incarnations held leases, according to one answer of the store.
 *
 * @param askedAt when the store was asked, by the monotonic clock: what it did not list had ended by then, or began later
 * @param incarnations by member id
 */
record LiveMembers(long askedAt, Map<String, String> incarnations) {
    LiveMembers {
        incarnations = new TreeMap<>(incarnations);
    }

    static LiveMembers read(CoordinationStore store, GroupKeys keys, Clockwork clockwork) {
        long askedAt = clockwork.nanos();
        Map<String, String> live = new TreeMap<>();
        store.leases(keys.members()).forEach((name, holder) -> live.put(keys.memberId(name), holder));
        return new LiveMembers(askedAt, live);
    }

    boolean isLive(String id, String incarnation) {
        return incarnation.equals(incarnations.get(id));
    }

    /** Whether somebody whose life began before {@code seenAt} is known to be dead. */
    boolean isDead(String id, String incarnation, long seenAt) {
        return !isLive(id, incarnation) && askedAt - seenAt >= 0;
    }
}
