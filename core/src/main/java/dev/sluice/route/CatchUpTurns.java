package dev.sluice.route;

import dev.sluice.model.Position;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which group behind the tail of one stream is read for next: alternately the lowest and the one that waited longest, each for
 * a few turns in a row, so that the open reader is used. For the partition's thread.
 */
final class CatchUpTurns {
    private static final int IN_A_ROW = 8;
    private static final long EMPTY_AT_MOST_NANOS = 5_000_000_000L;

    private static final long LOOK_AGAIN_NANOS = 5_000_000L;

    /** Where all groups behind wait for gateways that cannot be reached: one that comes up again is looked at in the same turn. */
    private static final long LOOK_FOR_GATEWAYS_NANOS = 50_000_000L;

    private boolean longestWaiting;
    private int inARow;
    private long emptySince;
    private long lookAgainAt;
    private boolean waits;
    private boolean postponed;
    private boolean waitsForAnswers;

    /** Whether a group behind waits until its gateway, which can be reached, has acknowledged something. */
    boolean waitsForAnswers() {
        return waitsForAnswers;
    }

    /** Gateways have come or gone, or a group fell behind: all groups behind are asked in this turn. */
    void lookNow() {
        waits = false;
    }

    void waitForAnswers(boolean waits) {
        waitsForAnswers = waits;
    }

    /**
     * Whether to look for a group that can be read for. Most groups behind wait for a gateway, and asking each costs: when none
     * could be read for, it is a moment before all are asked again.
     */
    boolean isTimeToLook(long now) {
        postponed = waits && now - lookAgainAt < 0;
        return !postponed;
    }

    /** How long the partition's thread may sleep at most: groups that were not asked in this turn are asked then. */
    Duration mostSleep(Duration usual, long now) {
        if (!postponed) {
            return usual;
        }
        postponed = false;
        return Duration.ofNanos(Math.clamp(lookAgainAt - now, 1, usual.toNanos()));
    }

    /**
     * @param ready groups that may be given something
     * @param reader where the open reader stands; null: there is none
     */
    @Nullable
    Group next(List<Group> ready, @Nullable Position reader, Position tail, long now) {
        waits = ready.isEmpty();
        lookAgainAt = now + (waitsForAnswers ? LOOK_AGAIN_NANOS : LOOK_FOR_GATEWAYS_NANOS);
        Group going = goingOn(ready, reader, tail, now);
        if (going != null) {
            inARow++;
            return going;
        }
        inARow = 0;
        emptySince = 0;
        longestWaiting = !longestWaiting;
        Comparator<Group> order = longestWaiting
                ? Comparator.comparingLong(each -> each.servedAt)
                : Comparator.comparing(each -> each.read(tail));
        return ready.stream().min(order).orElse(null);
    }

    /**
     * A group that stands where the open reader does. A reader that was just opened at a Puller elsewhere has nothing yet, and
     * one that is closed again at each turn never would: it keeps its turn for a while.
     */
    private @Nullable Group goingOn(List<Group> ready, @Nullable Position reader, Position tail, long now) {
        boolean isOpening = emptySince != 0 && now - emptySince < EMPTY_AT_MOST_NANOS;
        if (reader == null || inARow >= IN_A_ROW && !isOpening) {
            return null;
        }
        for (Group each : ready) {
            if (each.read(tail).compareTo(reader) == 0) {
                return each;
            }
        }
        return null;
    }

    /** @param moved whether the reader had anything */
    void read(boolean moved, long now) {
        if (moved) {
            emptySince = 0;
        } else if (emptySince == 0) {
            emptySince = now;
        }
    }
}
