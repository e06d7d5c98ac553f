package dev.sluice.devmongo.oplog;

import java.time.InstantSource;
import org.bson.BsonTimestamp;

/**
 * Cluster times: wall-clock seconds and a counter within the second. Strictly growing, also when the wall clock
 * jumps back. Not thread-safe: the oplog calls it while it holds its lock.
 */
final class ClusterClock {
    /** More than the times a process can have given to writes that were not durable yet when it was killed. */
    private static final int NEVER_USED = 1 << 20;

    private final InstantSource wallClock;
    private int seconds;
    private int increment;

    ClusterClock(InstantSource wallClock) {
        this.wallClock = wallClock;
    }

    BsonTimestamp next() {
        int now = (int) wallClock.instant().getEpochSecond();
        if (now > seconds) {
            seconds = now;
            increment = 1;
        } else {
            increment++;
        }
        return new BsonTimestamp(seconds, increment);
    }

    /** Goes on behind every time of a process whose last durable time was {@code last}, also of the second it was killed in. */
    void continueAfter(BsonTimestamp last) {
        int now = (int) wallClock.instant().getEpochSecond();
        increment = (last.getTime() >= now ? last.getInc() : 0) + NEVER_USED;
        seconds = Math.max(last.getTime(), now);
    }

    long wallMillis() {
        return wallClock.millis();
    }
}
