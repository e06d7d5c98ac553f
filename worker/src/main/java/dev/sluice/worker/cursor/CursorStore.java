package dev.sluice.worker.cursor;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.coordinate.Takeover;
import dev.sluice.model.FencingToken;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The stored cursors of a group: one value per life of a worker, below {@code <group>/cursors/}. Only that life writes its
 * value; the taker of a dead worker's partition reads it once, before its claim.
 */
public final class CursorStore implements Takeover {
    private final CoordinationStore store;
    private final String group;
    private final Set<String> ownLives = ConcurrentHashMap.newKeySet();

    public CursorStore(CoordinationStore store, String group) {
        this.store = store;
        this.group = group;
    }

    private String all() {
        return group + "/cursors/";
    }

    private String key(String worker, String incarnation) {
        return all() + worker + '/' + incarnation;
    }

    /** The cursors that this life of a worker wrote last; empty when it wrote none, or they were removed. */
    public Optional<CursorTable> read(String worker, String incarnation) {
        return store.get(key(worker, incarnation)).map(entry -> CursorTable.parse(entry.value()));
    }

    /** Writes as one life of a worker. Not for two threads at once. */
    public Writer writer(String worker, String incarnation) {
        ownLives.add(incarnation);
        return new Writer(key(worker, incarnation));
    }

    public final class Writer {
        private final String key;
        private long revision = CoordinationStore.ABSENT;

        private Writer(String key) {
            this.key = key;
        }

        /** @throws StoreUnavailableException when it may or may not be written; the next write settles that */
        public void write(CursorTable table) {
            byte[] value = table.toBytes();
            OptionalLong written = store.put(key, value, revision);
            if (written.isEmpty()) {
                // An earlier write of ours that had no answer: nobody else writes this key.
                revision = store.get(key).map(Entry::revision).orElse(CoordinationStore.ABSENT);
                written = store.put(key, value, revision);
            }
            revision = written.orElseThrow(() -> new StoreUnavailableException(
                    "The cursors at " + key + " cannot be written: the store refuses the revision it told."));
        }
    }

    /** The start of a partition whose owner died: what that owner wrote last under this very claim, else the claim's. */
    @Override
    public String position(int partition, String owner, String incarnation, FencingToken token, String claimed) {
        Cursor written = read(owner, incarnation)
                .map(table -> table.of(partition, token))
                .orElse(null);
        if (written == null && claimed.isEmpty()) {
            return claimed;
        }
        Cursor start = written != null ? written : Cursor.parse(claimed);
        // A claim that names this very life comes from a write of ours without an answer: nobody has died.
        return (ownLives.contains(incarnation) ? start : start.afterDeath()).toText();
    }

    /** All stored values by incarnation, with their keys and revisions: for the leader that removes those of the dead. */
    public Map<String, Entry> values() {
        Map<String, Entry> byIncarnation = new TreeMap<>();
        for (Entry entry : store.list(all())) {
            byIncarnation.put(entry.key().substring(entry.key().lastIndexOf('/') + 1), entry);
        }
        return byIncarnation;
    }

    public void remove(List<Entry> values) {
        values.forEach(entry -> store.delete(entry.key(), entry.revision()));
    }
}
