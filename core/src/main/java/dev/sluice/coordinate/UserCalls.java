package dev.sluice.coordinate;

import java.time.Duration;

/**
 * The calls to the user about one claim, each on a thread of its own, so that nothing here ever waits for a user without a
 * bound. They come in an order the user can work with: {@code lost} never before {@code assigned} has returned, and neither
 * when the claim was lost before the user heard of it.
 */
final class UserCalls {
    private final PartitionUser user;
    private final Claim claim;
    private final Clockwork clockwork;
    private final GroupJournal journal;
    private final Clockwork.Signal ended;
    private int running;
    private boolean failed;
    private Start begun = Start.NOT_BEGUN;
    private boolean gone;

    private enum Start {
        NOT_BEGUN,
        UNDER_WAY,
        DONE
    }

    /** @param ended raised whenever a call has come to its end */
    UserCalls(PartitionUser user, Claim claim, Clockwork clockwork, GroupJournal journal, Clockwork.Signal ended) {
        this.user = user;
        this.claim = claim;
        this.clockwork = clockwork;
        this.journal = journal;
        this.ended = ended;
    }

    void assigned() {
        call("assigned", () -> {
            if (!beginStart()) {
                return;
            }
            try {
                user.assigned(claim);
            } catch (RuntimeException | Error e) {
                fail();
                throw e;
            } finally {
                endStart();
            }
        });
    }

    private synchronized boolean beginStart() {
        if (!gone) {
            begun = Start.UNDER_WAY;
        }
        return !gone;
    }

    private void endStart() {
        boolean late;
        synchronized (this) {
            begun = Start.DONE;
            late = gone;
        }
        if (late) {
            tellLost();
        }
    }

    /** Whether the user has given up the partition in time. */
    boolean revoking(Duration atMost) {
        long start = clockwork.nanos();
        if (!await(atMost)) {
            // It still starts: it is told, once it has, that the claim is gone.
            lost();
            return false;
        }
        call("revoking", () -> user.revoking(claim));
        return await(atMost.minusNanos(clockwork.nanos() - start));
    }

    void lost() {
        boolean now;
        synchronized (this) {
            now = !gone && begun == Start.DONE;
            gone = true;
        }
        if (now) {
            tellLost();
        }
    }

    private void tellLost() {
        call("lost", () -> user.lost(claim));
    }

    /** Waits until no call is running. */
    boolean await(Duration atMost) {
        long start = clockwork.nanos();
        Duration left = atMost;
        while (isRunning() && left.isPositive()) {
            ended.await(left);
            left = atMost.minusNanos(clockwork.nanos() - start);
        }
        return !isRunning();
    }

    private void call(String what, Runnable body) {
        begin();
        clockwork.start(what + "-" + claim.partition(), () -> {
            try {
                body.run();
            } catch (RuntimeException | Error e) {
                if (!clockwork.goesOnAfter(e)) {
                    throw e;
                }
                journal.userFailed(what, claim, e);
            } finally {
                end();
            }
        });
    }

    private synchronized void begin() {
        running++;
    }

    private void end() {
        synchronized (this) {
            running--;
        }
        ended.raise();
    }

    private synchronized boolean isRunning() {
        return running > 0;
    }

    private synchronized void fail() {
        failed = true;
    }

    /** Whether {@code assigned} threw: the partition is not being worked on. */
    synchronized boolean isFailed() {
        return failed;
    }
}
