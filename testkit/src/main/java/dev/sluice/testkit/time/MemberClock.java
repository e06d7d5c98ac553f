package dev.sluice.testkit.time;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * What one member of a cluster believes the time to be: its wall clock differs from the true one and may jump; its
 * elapsed time does not, as on a real machine whose clock is set by NTP or by hand.
 */
public final class MemberClock implements InstantSource {

    private final VirtualClock truth;
    private volatile Duration skew;

    MemberClock(VirtualClock truth, Duration skew) {
        this.truth = truth;
        this.skew = skew;
    }

    @Override
    public Instant instant() {
        return truth.instant().plus(skew);
    }

    /** The true elapsed time; see {@link VirtualClock#nanos()}. */
    public long nanos() {
        return truth.nanos();
    }

    public Duration skew() {
        return skew;
    }

    /** Sets the wall clock forwards or back. Called by one thread, that of the test. */
    public void jump(Duration by) {
        skew = skew.plus(by);
    }
}
