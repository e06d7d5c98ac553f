package dev.sluice.route;

import dev.sluice.model.EventId;
import org.jspecify.annotations.Nullable;

/**
 * One event that one class of one gateway was given, until all its matches are acknowledged. Links itself into the list of
 * its {@link LaneProgress}, so that what is done leaves at once, wherever it stands: a single event that is stuck does not
 * keep those behind it in memory.
 */
final class Pending {
    /** Of events that were read again: they stand before everything the head has given. */
    static final long REREAD = -1;

    final LaneProgress progress;
    final String backend;
    final @Nullable EventId before;
    final @Nullable Positions allBefore;
    final long ordinal;
    final boolean resync;
    int outstanding;

    /** It is counted no more: the lane's position has been put back, or its partition is not ours. */
    volatile boolean voided;

    @Nullable
    Pending previous;

    @Nullable
    Pending next;

    /** @param before where its backend stood before it; null: at its oldest */
    Pending(
            LaneProgress progress,
            String backend,
            @Nullable EventId before,
            long ordinal,
            boolean resync,
            int outstanding) {
        this(progress, backend, before, null, ordinal, resync, outstanding);
    }

    private Pending(
            LaneProgress progress,
            String backend,
            @Nullable EventId before,
            @Nullable Positions allBefore,
            long ordinal,
            boolean resync,
            int outstanding) {
        this.progress = progress;
        this.backend = backend;
        this.before = before;
        this.allBefore = allBefore;
        this.ordinal = ordinal;
        this.resync = resync;
        this.outstanding = outstanding;
    }

    /** A resync: until it is acknowledged, every backend stays where the lane fell out of range. */
    static Pending gap(LaneProgress progress, Positions allBefore, int outstanding) {
        return new Pending(progress, "", null, allBefore, REREAD, true, outstanding);
    }
}
