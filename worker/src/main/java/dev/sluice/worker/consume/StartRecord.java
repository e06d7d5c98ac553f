package dev.sluice.worker.consume;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.worker.WorkerSettings.Start;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.stream.StreamState;
import java.util.Optional;

/**
 * Where the partitions of a group begin that nobody has handled yet. The first worker of the group writes it before any
 * claim, so that "now" is one sequence for all of them.
 */
public final class StartRecord {
    private StartRecord() {}

    public static Cursor readOrWrite(CoordinationStore store, String group, StreamState state, Start start) {
        String key = group + "/start";
        Optional<Entry> known = store.get(key);
        if (known.isEmpty()) {
            long after = start == Start.NOW ? state.last() : 0;
            Cursor first = Cursor.startingAfter(state.created().toEpochMilli(), after);
            store.put(key, first.toText().getBytes(UTF_8), CoordinationStore.ABSENT);
            known = store.get(key);
        }
        return known.map(entry -> Cursor.parse(entry.text()))
                .orElseThrow(() -> new StoreUnavailableException(
                        "The start of group " + group + " cannot be read at " + key + "."));
    }
}
