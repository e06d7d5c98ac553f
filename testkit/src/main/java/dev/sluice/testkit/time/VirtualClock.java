package dev.sluice.testkit.time;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Both faces of time for code under test: wall time, and elapsed nanoseconds by {@code clock::nanos}. It moves only by
 * {@link #advance}, forwards, and may be read by any thread.
 *
 * <p>{@link #nanos()} starts just below {@link Long#MAX_VALUE} and soon wraps, as {@link System#nanoTime()} is free to
 * do: code that compares two readings instead of their difference fails here and not in production.
 */
public final class VirtualClock implements InstantSource {

    private static final long FIRST_NANOS =
            Long.MAX_VALUE - Duration.ofSeconds(1).toNanos();

    private final Instant start;
    private final AtomicLong elapsed = new AtomicLong();

    public VirtualClock(Instant start) {
        this.start = start;
    }

    /** Starts at an arbitrary fixed instant, with no round fields. */
    public VirtualClock() {
        this(Instant.parse("2026-03-29T00:59:58.765432Z"));
    }

    @Override
    public Instant instant() {
        return start.plusNanos(elapsed.get());
    }

    /** Elapsed time with an arbitrary origin; only differences mean something. */
    public long nanos() {
        return FIRST_NANOS + elapsed.get();
    }

    /** How far it has been moved since it was made. */
    public Duration elapsed() {
        return Duration.ofNanos(elapsed.get());
    }

    public void advance(Duration step) {
        if (step.isNegative()) {
            throw new IllegalArgumentException(
                    "Time cannot go back by " + step + "; to set a wall clock back use MemberClock.jump.");
        }
        elapsed.addAndGet(step.toNanos());
    }

    /** One member's view: the same elapsed time, a wall clock that is wrong by {@code skew} (ahead when positive). */
    public MemberClock skewedBy(Duration skew) {
        return new MemberClock(this, skew);
    }
}
