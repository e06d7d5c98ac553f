package dev.sluice.testkit.ledger;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** All that is known about one document. Guarded by its own monitor. */
final class DocumentHistory {

    private static final @Nullable VersionSet[] NONE = {};
    private static final long[] NO_IDS = {};

    private final VersionSet written = new VersionSet();
    private @Nullable VersionSet attempted;
    private @Nullable VersionSet[] arrived = NONE;
    private long[] idHashes = NO_IDS;

    synchronized boolean written(int version) {
        return written.add(version);
    }

    synchronized void attempted(int version) {
        if (attempted == null) {
            attempted = new VersionSet();
        }
        attempted.add(version);
    }

    synchronized void arrived(Consumer consumer, String document, int version, String eventId, boolean flagged) {
        VersionSet seen = seenBy(consumer.index());
        if (!eventId.isEmpty() && !isTheSameId(version, hash(eventId))) {
            consumer.found(Finding.CHANGED_ID, document, version, "came as " + eventId + ", before under another id");
        }
        int newest = seen.newest();
        if (!seen.add(version)) {
            consumer.found(Finding.DUPLICATE, document, version, "again, newest was " + newest);
            if (!flagged) {
                consumer.found(Finding.UNFLAGGED_DUPLICATE, document, version, "again, without saying so");
            }
        } else if (version < newest) {
            consumer.found(Finding.REORDERED, document, version, "first came after " + newest);
        }
    }

    /** Everything that can be judged only at the end. */
    synchronized void judge(Consumer.Tally tally, String document, Expectation owed) {
        VersionSet seen = seenBy(tally.index());
        boolean wanted = owed.wants().test(document);
        for (int v = seen.next(1); v > 0; v = seen.next(v + 1)) {
            tally.countArrived();
            if (!wanted) {
                tally.found(Finding.UNWANTED, document, v, "was not asked for");
            }
            if (!written.contains(v) && (attempted == null || !attempted.contains(v))) {
                tally.found(Finding.NEVER_WRITTEN, document, v, "was never written");
            }
        }
        if (!wanted) {
            return;
        }
        if (owed.onlyNewest()) {
            judgeNewest(tally, document, seen.newest());
            return;
        }
        for (int v = written.next(1); v > 0; v = written.next(v + 1)) {
            tally.countOwed();
            if (!seen.contains(v)) {
                tally.found(Finding.LOST, document, v, "never came, newest was " + seen.newest());
            }
        }
    }

    private void judgeNewest(Consumer.Tally tally, String document, int newestSeen) {
        int newest = written.newest();
        if (newest > 0) {
            tally.countOwed();
            if (newestSeen < newest) {
                tally.found(Finding.LOST, document, newest, "never came, newest was " + newestSeen);
            }
        }
    }

    private VersionSet seenBy(int consumer) {
        if (consumer >= arrived.length) {
            arrived = Arrays.copyOf(arrived, consumer + 1);
        }
        VersionSet seen = arrived[consumer];
        if (seen == null) {
            seen = new VersionSet();
            arrived[consumer] = seen;
        }
        return seen;
    }

    /** Remembers the first id of each version; eight bytes each, so that a false alarm is out of the question. */
    private boolean isTheSameId(int version, long hash) {
        if (version >= idHashes.length) {
            idHashes = Arrays.copyOf(idHashes, Math.max(version + 1, version + version / 4));
        }
        if (idHashes[version] == 0) {
            idHashes[version] = hash;
        }
        return idHashes[version] == hash;
    }

    private static long hash(String id) {
        long hash = 1469598103934665603L;
        for (int i = 0; i < id.length(); i++) {
            hash = (hash ^ id.charAt(i)) * 1099511628211L;
        }
        return hash == 0 ? 1 : hash;
    }
}
