package dev.sluice.worker.chaos;

import dev.sluice.model.FencingToken;
import dev.sluice.worker.cursor.Cursor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The cursors that the group's store was seen to have in the course of a run. An owner must not handle again what the cursor
 * in its claim covers, nor what an earlier owner had saved some time before that claim was written.
 */
final class SavedCursors {
    /** How long a taker may need from its look at the saved cursor to its claim: a request and its timeout. */
    static final long TAKEOVER_NANOS = 3_000_000_000L;

    private record Saved(FencingToken token, Cursor cursor, long seenAt) {}

    private record Start(Cursor cursor, long notBefore) {}

    private static final class Page {
        private final TreeMap<FencingToken, Start> starts = new TreeMap<>();
        private final List<Saved> saved = new ArrayList<>();
    }

    /**
     * What an owner knew, or had to know, to be finished.
     *
     * @param low everything up to this sequence
     * @param finished and these above it
     */
    record Cover(long low, Set<Long> finished) {
        boolean has(long sequence) {
            return sequence <= low || finished.contains(sequence);
        }
    }

    private final Map<Integer, Page> pages = new TreeMap<>();

    /**
     * The claim of an owner, with the cursor it starts from.
     *
     * @param notBefore a time at which the claim was not yet written
     */
    synchronized void claimed(int partition, FencingToken token, Cursor start, long notBefore) {
        page(partition).starts.putIfAbsent(token, new Start(start, notBefore));
    }

    /** A cursor that was in the store at this time, written by the owner with this token. */
    synchronized void saved(int partition, FencingToken token, Cursor cursor, long seenAt) {
        List<Saved> saved = page(partition).saved;
        boolean known = saved.stream()
                .anyMatch(each -> each.token().equals(token) && each.cursor().equals(cursor));
        if (!known) {
            saved.add(new Saved(token, cursor, seenAt));
        }
    }

    synchronized Cover coverOf(int partition, FencingToken token) {
        Page page = page(partition);
        List<Cursor> known = new ArrayList<>();
        page.starts.headMap(token, true).values().forEach(start -> known.add(start.cursor()));
        Start own = page.starts.get(token);
        if (own != null) {
            page.saved.stream()
                    .filter(saved -> saved.token().isOlderThan(token))
                    .filter(saved -> saved.seenAt() + TAKEOVER_NANOS - own.notBefore() <= 0)
                    .forEach(saved -> known.add(saved.cursor()));
        }
        Set<Long> finished = new HashSet<>();
        known.forEach(cursor -> finished.addAll(cursor.finished()));
        return new Cover(known.stream().mapToLong(Cursor::low).max().orElse(0), finished);
    }

    private Page page(int partition) {
        return pages.computeIfAbsent(partition, any -> new Page());
    }
}
