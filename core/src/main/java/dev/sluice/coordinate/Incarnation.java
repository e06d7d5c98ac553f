package dev.sluice.coordinate;

import java.time.Duration;

/**
 * One life of a member: an id, a name that no other life has, and a lease. It ends for good when the lease is found ended,
 * or at the deadline, which lies a margin before the lease can end: counted from before the last successful renewal was
 * sent, by this machine's monotonic clock. Any thread may ask.
 */
final class Incarnation {
    private final String id;
    private final String name;
    private final Lease lease;
    private final Clockwork clockwork;
    private final Duration life;
    private long deadline;
    private boolean over;

    /** @param life the lease's time to live less the margin */
    Incarnation(String id, String name, Lease lease, Clockwork clockwork, Duration life, long openingSentAt) {
        this.id = id;
        this.name = name;
        this.lease = lease;
        this.clockwork = clockwork;
        this.life = life;
        this.deadline = openingSentAt + life.toNanos();
    }

    String id() {
        return id;
    }

    String name() {
        return name;
    }

    Lease lease() {
        return lease;
    }

    /** Whether it may act. Never true again once it was false. */
    boolean isLive() {
        return !untilDeadline().isZero();
    }

    /** How long it may still act without another renewal; zero when it is over. */
    synchronized Duration untilDeadline() {
        long left = deadline - clockwork.nanos();
        if (left <= 0) {
            over = true;
        }
        return over ? Duration.ZERO : Duration.ofNanos(left);
    }

    /** A renewal that comes back after the deadline revives nothing. */
    synchronized void renewed(long sentAt) {
        if (isLive()) {
            deadline = sentAt + life.toNanos();
        }
    }

    synchronized void end() {
        over = true;
    }

    @Override
    public String toString() {
        return id + '/' + name;
    }
}
