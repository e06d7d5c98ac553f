package dev.sluice.coordinate;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Removes the records of members that died long ago: where ids change with every start, they would pile up. Only the leader
 * does. A member that comes back at that very moment writes its record again.
 */
final class Burial {
    private final CoordinationStore store;
    private final GroupKeys keys;
    private final Clockwork clockwork;
    private final Duration after;
    private final Map<String, Long> deadSince = new HashMap<>();

    Burial(CoordinationStore store, GroupKeys keys, Clockwork clockwork, Duration after) {
        this.store = store;
        this.keys = keys;
        this.clockwork = clockwork;
        this.after = after;
    }

    /** @param records listed before {@code live} was read, or after: neither matters over so long a time */
    void step(List<Entry> records, LiveMembers live) {
        long now = clockwork.nanos();
        for (Entry record : records) {
            if (live.incarnations().containsKey(keys.memberId(record.key()))) {
                deadSince.remove(record.key());
            } else if (now - deadSince.computeIfAbsent(record.key(), key -> now) > after.toNanos()) {
                deadSince.remove(record.key());
                store.delete(record.key(), record.revision());
            }
        }
    }
}
