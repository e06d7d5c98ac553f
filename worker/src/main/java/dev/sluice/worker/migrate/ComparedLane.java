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

    /** Marks the furthest sequence of both sides; repeated when a side has passed it in between. */
    void mark() {
        for (int i = 0; i < ATTEMPTS_TO_MARK; i++) {
            long furthest = Math.max(taken.last(), seen.last());
            if (taken.mark(furthest) && seen.mark(furthest)) {
                return;
            }
        }
        throw new IllegalStateException("partition " + lane.partition().id() + " moves on too fast to be marked");
    }

    boolean isReached() {
        return taken.atMark().isPresent() && seen.atMark().isPresent();
    }

    /**
     * What differs since the comparison before; empty when nothing does.
     *
     * @param lastOf the sequence of the last message of a filter, 0 when there is none
     */
    String difference(ToLongFunction<String> lastOf) {
        settle(taken, lastOf);
        settle(seen, lastOf);
        Optional<Count> handled = taken.atMark();
        Optional<Count> shadowed = seen.atMark();
        if (handled.isEmpty()) {
            return "partition " + lane.partition().id() + " takes in messages too late: it has not reached sequence "
                    + seen.last();
        }
        if (shadowed.isEmpty()) {
            return "the shadow of partition " + lane.partition().id() + " lags: it has not reached sequence "
                    + taken.last();
        }
        Count one = handled.get().minus(takenBefore);
        Count other = shadowed.get().minus(seenBefore);
        takenBefore = handled.get();
        seenBefore = shadowed.get();
        return one.equals(other)
                ? ""
                : "partition " + lane.partition().id() + " got " + one.messages() + " messages, its shadow "
                        + other.messages() + " of the same sequences";
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
