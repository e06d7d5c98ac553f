package dev.sluice.worker.chaos;

import dev.sluice.model.FencingToken;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What publishers wrote and what handlers did, kept outside of the workers. Messages of a partition are numbered 1, 2, 3, …
 * in the order of the stream. A handling under a lower token than one already seen for its partition is refused as stale, as
 * by any resource that is guarded by fencing tokens. {@link Verdict} judges what is kept here.
 */
final class HandlingLedger {

    /** What is known of one partition. */
    static final class Track {
        long published;
        long stale;
        final BitSet handled = new BitSet();
        final Map<Long, Long> sequences = new HashMap<>();
        long storedTwice;
        final List<Reign> reigns = new ArrayList<>();
        final List<String> violations = new ArrayList<>();
    }

    private final Map<Integer, Track> tracks = new TreeMap<>();
    private final Disturbances disturbances = new Disturbances();
    private final SavedCursors saved = new SavedCursors();
    private long accepted;

    Disturbances disturbances() {
        return disturbances;
    }

    SavedCursors saved() {
        return saved;
    }

    /** The stream has acknowledged this message and all lower numbers of the partition. */
    synchronized void published(int partition, long number) {
        Track track = track(partition);
        track.published = Math.max(track.published, number);
    }

    /**
     * A handler did its work for this message; false when its token is stale. A number under another sequence than before was
     * stored twice: a publish without an acknowledgement was repeated, and the stream had forgotten its message id. That is
     * no repeat by a worker, and is counted apart.
     */
    synchronized boolean handled(
            long now, String process, int partition, long number, long sequence, FencingToken token, int attempt) {
        Track track = track(partition);
        Reign reign = track.reigns.isEmpty() ? null : track.reigns.getLast();
        if (reign != null && token.isOlderThan(reign.token)) {
            track.stale++;
            return false;
        }
        if (reign == null || reign.token.isOlderThan(token)) {
            reign = new Reign(token, process);
            track.reigns.add(reign);
        }
        if (track.sequences.merge(number, sequence, (first, again) -> first) != sequence) {
            track.storedTwice++;
            return true;
        }
        if (!reign.process.equals(process)) {
            track.violations.add(process + " handles " + number + " under the token of " + reign);
        }
        if (number < reign.last() || (number == reign.last() && attempt == 1)) {
            track.violations.add(reign + " handles " + number + " after " + reign.last());
        }
        reign.add(number, now);
        track.handled.set((int) number);
        accepted++;
        return true;
    }

    synchronized long accepted() {
        return accepted;
    }

    /** How many published messages no handler has handled. */
    synchronized long missing() {
        long missing = 0;
        for (Track track : tracks.values()) {
            missing += track.published
                    - track.handled.get(1, (int) track.published + 1).cardinality();
        }
        return missing;
    }

    synchronized Verdict verdict() {
        return Verdict.of(tracks, disturbances, saved);
    }

    /** How many partitions the process handled a message of under the newest token. */
    synchronized long partitionsOf(String process) {
        return tracks.values().stream()
                .filter(track -> !track.reigns.isEmpty()
                        && track.reigns.getLast().process.equals(process))
                .count();
    }

    private Track track(int partition) {
        return tracks.computeIfAbsent(partition, p -> new Track());
    }
}
