package dev.sluice.server.puller;

import dev.sluice.log.NoSpaceException;
import dev.sluice.log.Retention;
import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import dev.sluice.run.Step;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies one log's retention, once per interval, and logs what it evicted. */
final class LogCleaner implements Step {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.retention");

    private final String backend;
    private final Retention retention;
    private final Duration interval;
    private final InstantSource wall;

    LogCleaner(String backend, Retention retention, Duration interval, InstantSource wall) {
        this.backend = backend;
        this.retention = retention;
        this.interval = interval;
        this.wall = wall;
    }

    /** On a platform thread: evicting calls native code. */
    Loop start(Loops loops) {
        return loops.loop("log-retention-" + backend).onPlatformThread().start(this);
    }

    @Override
    public Duration run() {
        var earlyBefore = retention.evictedEarly();
        try {
            evict(earlyBefore);
        } catch (NoSpaceException full) {
            // Capture waits for space as well, and its health says so; this loop cannot do more than try again.
            LOG.atWarn()
                    .addKeyValue("backend", backend)
                    .addKeyValue("reason", full.getMessage())
                    .log("old events could not be removed: the disk is full; trying again");
        }
        return interval;
    }

    private void evict(long earlyBefore) {
        var evicted = retention.step(wall.instant());
        var early = retention.evictedEarly() - earlyBefore;
        if (evicted.events() > 0) {
            var line = early > 0 ? LOG.atWarn() : LOG.atInfo();
            line.addKeyValue("backend", backend)
                    .addKeyValue("events", evicted.events())
                    .addKeyValue("bytes", evicted.bytes())
                    .addKeyValue("beforeTheirAge", early)
                    .log("old events left the log");
        }
    }
}
