package dev.sluice.worker.migrate;

import dev.sluice.worker.lane.Lane;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.function.ToLongFunction;

/**
 * A partition whose messages are compared: those its lane takes in with those a shadow receives. Keeps the sequences that
 * only one side has got yet. Both sides get messages in order, so a sequence that the other side has passed is a difference.
 */
final class ComparedLane {
    private final Lane lane;
    private final int maxUnmatched;
    private final LongConsumer listener = this::taken;
    private final NavigableSet<Long> onlyTaken = new TreeSet<>();
    private final NavigableSet<Long> onlySeen = new TreeSet<>();
    private long lastTaken;
    private long lastSeen;
    private long mark;
    private boolean overrun;

    /** @param maxUnmatched with more sequences that only one side has got, the sides are too far apart to be compared */
    ComparedLane(Lane lane, int maxUnmatched) {
        this.lane = lane;
        this.maxUnmatched = maxUnmatched;
    }

    Lane lane() {
        return lane;
    }

    /** Begins to compare messages behind the sequence it returns. Calls the lane under its own lock: no other method may. */
    synchronized long begin() {
        lastTaken = lane.observe(listener);
        lastSeen = lastTaken;
        return lastTaken;
    }

    /** The lane has taken a message in. Called under the lane's lock. */
    private synchronized void taken(long sequence) {
        if (sequence > lastTaken) {
            lastTaken = sequence;
            match(sequence, onlyTaken, onlySeen);
        }
    }

    /** The shadow has received a message. */
    synchronized void seen(long sequence) {
        if (sequence > lastSeen) {
            lastSeen = sequence;
            match(sequence, onlySeen, onlyTaken);
        }
    }

    private void match(long sequence, NavigableSet<Long> here, NavigableSet<Long> there) {
        if (!overrun && !there.remove(sequence)) {
            here.add(sequence);
            overrun = here.size() > maxUnmatched;
        }
    }

    /** Whether it must begin again, because one side was too far ahead. */
    synchronized boolean isOverrun() {
        return overrun;
    }

    /** Sets the end of the window to the furthest sequence that one side has reached. */
    synchronized void mark() {
        mark = Math.max(lastTaken, lastSeen);
    }

    /** Whether both sides have got everything up to the mark, or passed it. */
    synchronized boolean isReached() {
        return overrun || !isAhead(onlyTaken) && !isAhead(onlySeen);
    }

    /** Whether one side got messages up to the mark that the other side has not come to. */
    private synchronized boolean isAhead(NavigableSet<Long> onlyHere) {
        long both = Math.min(lastTaken, lastSeen);
        return both < mark && !onlyHere.subSet(both, false, mark, true).isEmpty();
    }

    /**
     * Compares up to the mark.
     *
     * @param lastOf the sequence of the last message of a filter, 0 when there is none
     */
    Verdict verdict(ToLongFunction<String> lastOf) {
        Verdict difference = difference();
        if (!difference.isGood()) {
            return difference;
        }
        if (isAhead(onlySeen)) {
            return behind();
        }
        if (isAhead(onlyTaken)) {
            if (lastOf.applyAsLong(lane.partition().filter()) > lastSeen()) {
                return lags();
            }
            forgetTaken();
        }
        return Verdict.GOOD;
    }

    /** The messages that only the lane has got are gone from the stream. */
    private synchronized void forgetTaken() {
        onlyTaken.headSet(mark, true).clear();
    }

    private synchronized Verdict difference() {
        if (overrun) {
            return onlySeen.size() > onlyTaken.size() ? behind() : lags();
        }
        long both = Math.min(lastTaken, lastSeen);
        Set<Long> unseen = onlyTaken.headSet(both, true);
        Set<Long> untaken = onlySeen.headSet(both, true);
        Verdict verdict = unseen.isEmpty() && untaken.isEmpty()
                ? Verdict.GOOD
                : Verdict.bad(partition() + " missed " + untaken.size() + " messages that its shadow got, the shadow "
                        + unseen.size() + " that the partition got");
        unseen.clear();
        untaken.clear();
        return verdict;
    }

    /** The old mode may be slow, which says nothing of the new one. */
    private Verdict behind() {
        return Verdict.neutral(partition() + " is behind its shadow: both are compared when it has caught up");
    }

    private Verdict lags() {
        return Verdict.bad("the shadow of " + partition() + " lags: it stands at sequence " + lastSeen());
    }

    private synchronized long lastSeen() {
        return lastSeen;
    }

    private String partition() {
        return "partition " + lane.partition().id();
    }

    void close() {
        lane.ignore(listener);
    }
}
