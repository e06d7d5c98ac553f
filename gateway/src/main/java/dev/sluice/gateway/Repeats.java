package dev.sluice.gateway;

import dev.sluice.deliver.EventType;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Fnv1a64;
import dev.sluice.model.Priority;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recognises what a subscription has had: within a token by sequence number, across tokens by event id, control
 * events by sequence number alone. The ids of the last so many events are remembered; a repeat from further back is told
 * again, which at least once allows. For one thread at a time.
 *
 * <p>Also keeps the subscription's last revision per partition, whoever owns it: events of an earlier one come from a Streamer
 * that has not heard of the change. When the revision rises, ids are forgotten, because the changed subscription is owed events
 * that the earlier one was told. Revisions of two generations cannot be compared.
 *
 * <p>What came to another subscription and was told here, too, may have come before its turn: this one may be catching up.
 * So it is told again when it comes for this one itself, and then what follows it, too.
 */
final class Repeats {
    /** A Streamer saves its positions every thousand events, so that about as many come again after it died. */
    static final int DEFAULT_WINDOW = 1024;

    private record Claimed(int partition, FencingToken token, SeqRanges handled) {}

    private final Map<Integer, Claimed> partitions = new HashMap<>();

    /** Of the partition that told last, which usually tells next, too; null: none has told. */
    private @Nullable Claimed latest;

    private final RecentMarks own;
    private final RecentMarks also;

    /** By partition, of {@link #generation} alone. */
    private final Map<Integer, Long> revisions = new HashMap<>();

    private long generation;

    /** {@link #revisions} count no longer. */
    private volatile boolean revisionsAreVoid;

    Repeats(int window) {
        this.own = new RecentMarks(window);
        this.also = new RecentMarks(window);
    }

    /** Notes the revision of an event. Returns false when it is lower than that of an earlier event of its partition. */
    boolean isOfLatestRevision(Incoming incoming) {
        if (incoming.revision() == 0) {
            return true;
        }
        if (revisionsAreVoid || incoming.token().generation() != generation) {
            revisionsAreVoid = false;
            generation = incoming.token().generation();
            revisions.clear();
        }
        Long last = revisions.get(incoming.partition());
        if (last != null && incoming.revision() < last) {
            return false;
        }
        if (last == null || incoming.revision() > last) {
            revisions.put(incoming.partition(), incoming.revision());
        }
        if (last != null && incoming.revision() > last) {
            own.clear();
            also.clear();
        }
        return true;
    }

    /** Forgets revisions: the Streamer has lost the subscription, and may count from the beginning. Any thread may call. */
    void forgetRevisions() {
        revisionsAreVoid = true;
    }

    boolean hasSeq(Incoming incoming) {
        Claimed claimed = claimed(incoming.partition());
        return claimed != null && claimed.token.equals(incoming.token()) && claimed.handled.contains(incoming.seq());
    }

    boolean hasId(ReceivedEvent event) {
        return isRemembered(event) && own.contains(mark(event));
    }

    /** It was told when it came to another subscription in this class. */
    boolean wasToldAlso(ReceivedEvent event, Priority priority) {
        return isRemembered(event) && also.contains(mark(event, priority));
    }

    void handledSeq(Incoming incoming) {
        Claimed claimed = claimed(incoming.partition());
        if (claimed == null || !claimed.token.equals(incoming.token())) {
            claimed = new Claimed(incoming.partition(), incoming.token(), new SeqRanges());
            partitions.put(incoming.partition(), claimed);
        }
        latest = claimed;
        claimed.handled.add(incoming.seq());
    }

    private @Nullable Claimed claimed(int partition) {
        Claimed last = latest;
        return last != null && last.partition == partition ? last : partitions.get(partition);
    }

    /**
     * Remembers an event that was told. A drop that is told again takes away what came behind it, too. So that has to be told
     * again, and its ids are forgotten.
     */
    void handledId(ReceivedEvent event) {
        forgetIfRedelivered(event);
        if (isControl(event.type()) || wasToldAlso(event)) {
            own.clear();
        }
        if (isRemembered(event)) {
            own.add(mark(event));
        }
    }

    void toldAlso(ReceivedEvent event, Priority priority) {
        forgetIfRedelivered(event);
        if (wasToldAlso(event)) {
            own.clear();
        }
        if (isRemembered(event)) {
            also.add(mark(event, priority));
        }
    }

    /**
     * Forgets every id when an event marked as redelivered was told. The events behind it follow again, and the last one told
     * of a document must be its newest.
     */
    private void forgetIfRedelivered(ReceivedEvent event) {
        if (event.redelivery()) {
            own.clear();
            also.clear();
        }
    }

    /** In whatever class. */
    boolean wasToldAlso(ReceivedEvent event) {
        if (also.isEmpty()) {
            return false;
        }
        for (Priority priority : Priority.values()) {
            if (wasToldAlso(event, priority)) {
                return true;
            }
        }
        return false;
    }

    /** Every partition sends a control event under the same id, each behind its own documents' changes. */
    private static boolean isRemembered(ReceivedEvent event) {
        return !isControl(event.type()) && !event.eventId().isEmpty();
    }

    private static boolean isControl(EventType type) {
        return switch (type) {
            case INSERT, UPDATE, REPLACE, DELETE, ENTER, LEAVE -> false;
            case DROP, RENAME, INVALIDATE, RESYNC -> true;
        };
    }

    private static long mark(ReceivedEvent event) {
        return event.mark();
    }

    private static long mark(ReceivedEvent event, Priority priority) {
        return Fnv1a64.add(mark(event), priority.ordinal());
    }
}
