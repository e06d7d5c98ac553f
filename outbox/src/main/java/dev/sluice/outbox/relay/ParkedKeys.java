package dev.sluice.outbox.relay;

import dev.sluice.outbox.table.LeftOut;
import dev.sluice.outbox.table.Parked;
import dev.sluice.outbox.table.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The keys of one partition whose first row could not be sent: they wait, with all their rows, until that row is tried
 * again. Then it goes alone; the rows behind it follow when it is through. When that is, the database's clock says; here the
 * time until then is only counted down.
 */
final class ParkedKeys {
    /** More than these the database looks up in its own table: every row would be compared with the whole list. */
    static final int MOST_LISTED = 100;

    private record Waiting(long rowId, int attempts, long due) {}

    private final Map<String, Waiting> byKey = new HashMap<>();
    private final LongSupplier nanos;

    ParkedKeys(LongSupplier nanos) {
        this.nanos = nanos;
    }

    void load(List<Parked> stored) {
        byKey.clear();
        stored.forEach(this::add);
    }

    /** What is not to be fetched now: the keys that wait, and these topics. */
    LeftOut leftOut(Collection<String> topics) {
        if (byKey.size() > MOST_LISTED) {
            return new LeftOut(List.of(), true, topics);
        }
        long now = nanos.getAsLong();
        List<String> waiting = new ArrayList<>();
        byKey.forEach((key, parked) -> {
            if (parked.due - now > 0) {
                waiting.add(key);
            }
        });
        return new LeftOut(waiting, false, topics);
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
        Waiting parked = byKey.get(row.key());
        return parked != null && parked.rowId == row.id() ? parked.attempts : 0;
    }

    /** One that is due already is found by the next look at the table, or its row is gone. */
    Optional<Duration> untilNext() {
        long now = nanos.getAsLong();
        OptionalLong left = byKey.values().stream()
                .mapToLong(parked -> parked.due - now)
                .filter(nanosLeft -> nanosLeft > 0)
                .min();
        return left.isPresent() ? Optional.of(Duration.ofNanos(left.getAsLong())) : Optional.empty();
    }

    boolean contains(String key) {
        return byKey.containsKey(key);
    }

    void add(Parked parked) {
        long due = nanos.getAsLong() + parked.retryIn().toNanos();
        byKey.put(parked.key(), new Waiting(parked.rowId(), parked.attempts(), due));
    }

    void remove(String key) {
        byKey.remove(key);
    }

    int size() {
        return byKey.size();
    }
}
