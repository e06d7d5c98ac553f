package dev.sluice.devmongo.oplog;

import java.time.InstantSource;
import org.bson.BsonTimestamp;

/**
 * Cluster times: wall-clock seconds and a counter within the second. Strictly growing, also when the wall clock
 * jumps back. Not thread-safe: the oplog calls it while it holds its lock.
 */
final class ClusterClock {
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

    long wallMillis() {
        return wallClock.millis();
    }
}
