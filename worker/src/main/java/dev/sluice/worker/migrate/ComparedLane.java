package dev.sluice.worker.migrate;

import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.lane.Tally;
import dev.sluice.worker.lane.Tally.Count;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * A partition whose messages are counted on both sides: as its lane takes them in, and as a shadow receives them. Both counts
 * begin behind the same sequence. A comparison marks a sequence and waits until both sides have passed it; so it does not
 * matter which side is ahead.
 */
final class ComparedLane {
    private static final int ATTEMPTS_TO_MARK = 1_000;

    private final Lane lane;
    private final Tally taken;
    private final Tally seen;
    private Count takenBefore = Count.NONE;
    private Count seenBefore = Count.NONE;
    private boolean marked;

    ComparedLane(Lane lane) {
        this.lane = lane;
        this.taken = lane.beginTally();
        this.seen = new Tally(taken.start());
    }

    Lane lane() {
        return lane;
    }

    /** Counts what the shadow receives. */
    Tally seen() {
        return seen;
    }

    /** A shadow for this lane starts at or below the message behind this sequence. */
    long start() {
        return taken.start();
    }

    /** Marks the furthest sequence of both sides, unless a mark waits for its comparison. */
    void mark() {
        for (int i = 0; i < ATTEMPTS_TO_MARK && !marked; i++) {
            long furthest = Math.max(taken.last(), seen.last());
            marked = taken.mark(furthest) && seen.mark(furthest);
        }
    }

    boolean isReached() {
        return taken.atMark().isPresent() && seen.atMark().isPresent();
    }

    /**
     * Compares what came since the comparison before.
     *
     * @param lastOf the sequence of the last message of a filter, 0 when there is none
     */
    Verdict verdict(ToLongFunction<String> lastOf) {
        settle(taken, lastOf);
        Optional<Count> handled = taken.atMark();
        if (!marked || handled.isEmpty()) {
            return Verdict.neutral(partition() + " is behind its shadow: both are compared when it has caught up");
        }
        settle(seen, lastOf);
        Optional<Count> shadowed = seen.atMark();
        if (shadowed.isEmpty()) {
            return Verdict.bad("the shadow of " + partition() + " lags: it stands at sequence " + seen.last()
                    + ", its partition at " + taken.last());
        }
        Count one = handled.get().minus(takenBefore);
        Count other = shadowed.get().minus(seenBefore);
        takenBefore = handled.get();
        seenBefore = shadowed.get();
        marked = false;
        return one.equals(other)
                ? Verdict.GOOD
                : Verdict.bad(partition() + " got " + one.messages() + " messages, its shadow " + other.messages()
                        + " of the same sequences");
    }

    private String partition() {
        return "partition " + lane.partition().id();
    }

    /** A side that is behind the mark may have received all there is: the message at the mark may be gone. */
    private void settle(Tally side, ToLongFunction<String> lastOf) {
        long last = side.last();
        if (side.atMark().isEmpty() && lastOf.applyAsLong(lane.partition().filter()) <= last) {
            side.settle();
        }
    }

    void close() {
        lane.endTally(taken);
    }
}
