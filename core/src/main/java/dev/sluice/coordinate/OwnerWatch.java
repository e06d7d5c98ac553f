package dev.sluice.coordinate;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which partitions have no live owner, and for how long. Only the leader looks: it is the only one that lists all claims.
 */
final class OwnerWatch {
    private final CoordinationStore store;
    private final GroupKeys keys;
    private final Clockwork clockwork;
    private final Duration rest;
    private final Map<Integer, Long> since = new TreeMap<>();
    private @Nullable Long lookedAt;

    /** @param rest how long not to look again when every partition had an owner */
    OwnerWatch(CoordinationStore store, GroupKeys keys, Clockwork clockwork, Duration rest) {
        this.store = store;
        this.keys = keys;
        this.clockwork = clockwork;
        this.rest = rest;
    }

    void look(Layout layout, LiveMembers live) {
        long now = clockwork.nanos();
        if (isResting(now)) {
            return;
        }
        Map<Integer, ClaimRecord> claims = new HashMap<>();
        for (Entry entry : store.list(keys.claims(layout.generation()))) {
            claims.put(keys.partition(entry.key()), ClaimRecord.of(entry));
        }
        Set<Integer> without = new HashSet<>();
        for (int partition = 0; partition < layout.partitions(); partition++) {
            ClaimRecord claim = claims.get(partition);
            if (claim == null || !live.isLive(claim.owner(), claim.incarnation())) {
                without.add(partition);
            }
        }
        remember(without, now);
    }

    private synchronized boolean isResting(long now) {
        return lookedAt != null && since.isEmpty() && now - lookedAt < rest.toNanos();
    }

    private synchronized void remember(Set<Integer> without, long now) {
        lookedAt = now;
        since.keySet().retainAll(without);
        without.forEach(partition -> since.putIfAbsent(partition, now));
    }

    /** This member does not lead: it does not know. */
    synchronized void forget() {
        since.clear();
        lookedAt = null;
    }

    synchronized Map<Integer, Duration> withoutOwner() {
        Map<Integer, Duration> times = new TreeMap<>();
        since.forEach((partition, at) -> times.put(partition, Duration.ofNanos(clockwork.nanos() - at)));
        return times;
    }
}
