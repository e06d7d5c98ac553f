package dev.sluice.gateway;

import dev.sluice.deliver.EventType;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Fnv1a64;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Recognises what a subscription has had: within a token by sequence number, across tokens by event id, control
 * events by sequence number alone. The ids of the last so many events are remembered, eight bytes each; a repeat from
 * further back is told again, which at least once allows. For one thread at a time.
 */
final class Repeats {
    /** A Streamer saves its positions every thousand events, so that about as many come again after it died. */
    static final int DEFAULT_WINDOW = 1024;

    private static final int FIRST_SIZE = 16;

    private record Claimed(FencingToken token, SeqRanges handled) {}

    private final Map<Integer, Claimed> partitions = new HashMap<>();
    private final int window;
    private long[] recent = {};
    private int next;
    private int known;

    Repeats(int window) {
        this.window = window;
    }

    boolean hasSeq(Incoming incoming) {
        Claimed claimed = partitions.get(incoming.partition());
        return claimed != null && claimed.token.equals(incoming.token()) && claimed.handled.contains(incoming.seq());
    }

    boolean hasId(ReceivedEvent event) {
        return isRemembered(event) && contains(mark(event));
    }

    void handledSeq(Incoming incoming) {
        partitions
                .compute(
                        incoming.partition(),
                        (partition, claimed) -> claimed != null && claimed.token.equals(incoming.token())
                                ? claimed
                                : new Claimed(incoming.token(), new SeqRanges()))
                .handled
                .add(incoming.seq());
    }

    /**
     * A drop that is told again takes away what came behind it, too. So that has to be told again, and its ids are
     * forgotten.
     */
    void handledId(ReceivedEvent event) {
        if (isControl(event.type())) {
            next = 0;
            known = 0;
        }
        if (!isRemembered(event) || window == 0) {
            return;
        }
        if (next == window) {
            next = 0;
        } else if (next == recent.length) {
            recent = Arrays.copyOf(recent, Math.min(window, Math.max(FIRST_SIZE, 2 * next)));
        }
        recent[next++] = mark(event);
        known = Math.max(known, next);
    }

    private boolean contains(long mark) {
        for (int k = 0; k < known; k++) {
            if (recent[k] == mark) {
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
        return Fnv1a64.add(Fnv1a64.hash(event.eventId()), event.type().ordinal());
    }
}
