package dev.sluice.outbox.relay;

import dev.sluice.outbox.table.Parked;
import dev.sluice.outbox.table.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The keys of one partition whose first row could not be sent: they wait, with all their rows, until that row is tried
 * again. Then it goes alone; the rows behind it follow when it is through.
 */
final class ParkedKeys {
    private final Map<String, Parked> byKey = new HashMap<>();

    void load(List<Parked> stored) {
        byKey.clear();
        stored.forEach(parked -> byKey.put(parked.key(), parked));
    }

    /** The keys not to be fetched now. */
    List<String> waiting(Instant now) {
        List<String> waiting = new ArrayList<>();
        byKey.forEach((key, parked) -> {
            if (parked.retryAt().isAfter(now)) {
                waiting.add(key);
            }
        });
        return waiting;
    }

    /** Of the keys on trial only the first row. */
    List<Row> onTrial(List<Row> rows) {
        if (byKey.isEmpty()) {
            return rows;
        }
        List<Row> kept = new ArrayList<>(rows.size());
        Set<String> tried = new HashSet<>();
        for (Row row : rows) {
            if (!byKey.containsKey(row.key()) || tried.add(row.key())) {
                kept.add(row);
            }
        }
        return kept;
    }

    /** How often this row has failed. */
    int failures(Row row) {
        Parked parked = byKey.get(row.key());
        return parked != null && parked.rowId() == row.id() ? parked.attempts() : 0;
    }

    Optional<Duration> untilNext(Instant now) {
        return byKey.values().stream()
                .map(parked -> Duration.between(now, parked.retryAt()))
                .map(left -> left.isNegative() ? Duration.ZERO : left)
                .min(Duration::compareTo);
    }

    boolean contains(String key) {
        return byKey.containsKey(key);
    }

    void add(Parked parked) {
        byKey.put(parked.key(), parked);
    }

    void remove(String key) {
        byKey.remove(key);
    }

    int size() {
        return byKey.size();
    }
}
