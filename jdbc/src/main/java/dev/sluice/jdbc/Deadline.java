package dev.sluice.jdbc;

import java.sql.SQLTimeoutException;
import java.time.Duration;

/** When a call must have ended, on the monotonic clock. */
record Deadline(long nanoTime) {
    static Deadline in(Duration timeout) {
        return new Deadline(System.nanoTime() + timeout.toNanos());
    }

    long remainingNanos() {
        return nanoTime - System.nanoTime();
    }

    /** For JDBC, which counts in whole seconds and takes 0 for ever. */
    int remainingSeconds() {
        return (int) Math.max(1, Math.ceilDiv(remainingNanos(), 1_000_000_000L));
    }

    /** Whoever waited for this has gone: what was not yet done is better left undone. */
    void check() throws SQLTimeoutException {
        if (remainingNanos() <= 0) {
            throw new SQLTimeoutException("the time of the call was over before its work was done");
        }
    }
}
