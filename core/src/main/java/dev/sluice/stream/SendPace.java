package dev.sluice.stream;

import java.time.Duration;

/**
 * How much one consumer is given at once, by how long its connection lets us wait before it takes more. From the slow
 * threshold on batches get smaller; from the critical one on the consumer counts as paused: nothing is read or kept for it
 * until it takes something again. Nobody is disconnected. It recovers step by step.
 */
public final class SendPace {
    /** How a consumer fares. */
    public enum Level {
        KEEPING_UP,
        SLOW,
        CRITICAL
    }

    private static final int SMALLEST_SHARE = 64;

    private final long slow;
    private final long critical;
    private boolean waiting;
    private long waitingSince;
    private Level reached = Level.KEEPING_UP;
    private int share = 1;

    public SendPace(Duration slow, Duration critical) {
        if (slow.isNegative() || critical.compareTo(slow) < 0) {
            throw new IllegalArgumentException(
                    "slow_threshold " + slow + " must not be above critical_threshold " + critical);
        }
        this.slow = slow.toNanos();
        this.critical = critical.toNanos();
    }

    /** There is something to send, but the connection takes nothing. True when this wait just got worse. */
    public boolean wanting(long nanos) {
        if (!waiting) {
            waiting = true;
            waitingSince = nanos;
            reached = Level.KEEPING_UP;
        }
        Level now = levelOf(nanos - waitingSince);
        boolean worse = now.compareTo(reached) > 0;
        reached = now;
        return worse;
    }

    /** The connection takes something: how long it let us wait decides how much it gets. Returns the wait. */
    public long ready(long nanos) {
        long waited = waiting ? nanos - waitingSince : 0;
        waiting = false;
        share = switch (levelOf(waited)) {
            case KEEPING_UP -> Math.max(1, share / 2);
            case SLOW -> Math.min(SMALLEST_SHARE, share * 2);
            case CRITICAL -> SMALLEST_SHARE;
        };
        return waited;
    }

    private Level levelOf(long waited) {
        return waited >= critical ? Level.CRITICAL : waited >= slow ? Level.SLOW : Level.KEEPING_UP;
    }

    /** How this consumer fares now: by its current wait, or by what it is still given after the last ones. */
    public Level level() {
        if (waiting && reached != Level.KEEPING_UP) {
            return reached;
        }
        return share > 1 ? Level.SLOW : Level.KEEPING_UP;
    }

    /** What it gets of a full batch. */
    public int of(int full) {
        return Math.max(1, full / share);
    }
}
