package dev.sluice.route;

import dev.sluice.model.ClusterTime;

/**
 * The cluster time up to which events may have been sent, reserved ahead: nothing later is handed to a lane before a save with
 * a higher time succeeded. So what is saved is true after any crash, at about one save a second. For the partition's thread.
 */
final class SentReservation {
    private static final long LEAST_SECONDS_AHEAD = 10;
    private static final long MOST_SECONDS_AHEAD = 1L << 20;
    private static final long SAVE_AGAIN_NANOS = 1_000_000_000L;

    private ClusterTime saved;
    private ClusterTime handed;
    private long secondsAhead = LEAST_SECONDS_AHEAD;
    private long raisedAt;
    private ClusterTime wanted = ClusterTime.ZERO;

    SentReservation(ClusterTime saved) {
        this.saved = saved;
        this.handed = saved;
    }

    /** Whether events up to this time may be handed to lanes. */
    boolean covers(ClusterTime time) {
        return time.compareTo(saved) <= 0;
    }

    /** Whether events up to this time may be handed to lanes; if not, that is made possible before the next turn. */
    boolean coversOrAsks(ClusterTime time) {
        wanted = time.compareTo(wanted) > 0 ? time : wanted;
        return covers(time);
    }

    /** The latest time that was asked for. */
    ClusterTime wanted() {
        return wanted;
    }

    /**
     * The time to be saved before events of this time are handed over. The further the stream is behind, the further ahead: far
     * enough for about a second of reading.
     *
     * @param head of the log
     */
    ClusterTime raised(ClusterTime time, ClusterTime head, long now) {
        boolean soonAgain = now - raisedAt < SAVE_AGAIN_NANOS;
        secondsAhead = soonAgain
                ? Math.min(secondsAhead * 2, MOST_SECONDS_AHEAD)
                : Math.max(secondsAhead / 2, LEAST_SECONDS_AHEAD);
        raisedAt = now;
        long far = time.t() + secondsAhead;
        long most = Math.max(head.t(), time.t()) + LEAST_SECONDS_AHEAD;
        return ClusterTime.of(Math.min(Math.min(far, most), 0xffff_ffffL), 0xffff_ffffL);
    }

    /** Events up to this time may be handed over once the save that is about to be made has succeeded; undone if it fails. */
    void saved(ClusterTime time) {
        saved = time;
    }

    /** An event of this time was handed to a lane. */
    void handed(ClusterTime time) {
        handed = time.compareTo(handed) > 0 ? time : handed;
    }

    /** What is saved, while the partition goes on. */
    ClusterTime reserved() {
        return saved;
    }

    /** What was really handed over, for an owner that ends in order. */
    ClusterTime handed() {
        return handed;
    }
}
