package dev.sluice.capture;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** How capture of one backend stands, for health and metrics. Written by the capture loop, read by any thread. */
public final class CaptureState {
    private final String backend;
    private final Duration lagThreshold;
    private final InstantSource wall;
    private final CaptureCounters counters = new CaptureCounters();

    private volatile CaptureStatus phase = CaptureStatus.STARTING;
    private volatile String reason = "";
    private volatile @Nullable Instant lastEventTime;
    private volatile @Nullable Instant readThrough;
    private volatile @Nullable Instant sourceTime;

    CaptureState(String backend, Duration lagThreshold, InstantSource wall) {
        this.backend = backend;
        this.lagThreshold = lagThreshold;
        this.wall = wall;
    }

    public String backend() {
        return backend;
    }

    public CaptureStatus status() {
        CaptureStatus now = phase;
        return now == CaptureStatus.HEALTHY && lag().compareTo(lagThreshold) > 0 ? CaptureStatus.LAGGING : now;
    }

    /** Why it is not healthy, one sentence; empty when it is. */
    public String reason() {
        return reason;
    }

    /** When the last captured event happened, by the source's clock; null when there was none. */
    public @Nullable Instant lastEventTime() {
        return lastEventTime;
    }

    /** How far the source's own clock was when it last answered; null before. Heartbeats carry it. */
    public @Nullable Instant sourceTime() {
        return sourceTime;
    }

    /**
     * For how long changes may have happened that are not captured: the age of the last event while more of them wait,
     * the time since the source last said that there is nothing more when it is quiet. It grows while the source is
     * away.
     */
    public Duration lag() {
        Instant through = readThrough;
        Duration behind = through == null ? Duration.ZERO : Duration.between(through, wall.instant());
        return behind.isNegative() ? Duration.ZERO : behind;
    }

    public CaptureCounters counters() {
        return counters;
    }

    void is(CaptureStatus phase, String reason) {
        this.reason = reason;
        this.phase = phase;
    }

    void read(SourceBatch batch) {
        Instant told = Instant.ofEpochMilli(batch.sourceTime());
        sourceTime = told;
        if (batch.events().isEmpty()) {
            readThrough = wall.instant();
        } else {
            readThrough = told;
            lastEventTime = Instant.ofEpochMilli(batch.events().getLast().timestamp());
        }
    }
}
