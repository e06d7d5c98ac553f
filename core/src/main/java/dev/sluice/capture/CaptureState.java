package dev.sluice.capture;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Supplier;
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
    private volatile Instant readThrough;
    private volatile @Nullable Instant sourceTime;
    private final Supplier<Duration> waiting;

    /**
     * @param captured how far the event log already is; null when it never captured anything
     * @param waiting for how long the source has been working on the reply that is awaited
     */
    CaptureState(
            String backend,
            Duration lagThreshold,
            InstantSource wall,
            @Nullable Instant captured,
            Supplier<Duration> waiting) {
        this.backend = backend;
        this.lagThreshold = lagThreshold;
        this.wall = wall;
        this.readThrough = captured == null ? wall.instant() : captured;
        this.waiting = waiting;
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
     * away; after a restart it begins with the age of the log's last position.
     */
    public Duration lag() {
        Duration behind = Duration.between(readThrough, wall.instant());
        return behind.isNegative() ? Duration.ZERO : behind;
    }

    /** For how long the source has been working on the reply that is awaited; zero when none is. */
    public Duration waiting() {
        return waiting.get();
    }

    public CaptureCounters counters() {
        return counters;
    }

    void is(CaptureStatus phase, String reason) {
        this.reason = reason;
        this.phase = phase;
    }

    /**
     * @param opening the first batch of a stream, which says nothing about what follows it when it is empty
     * @param waited for how long a reply is awaited all the same
     */
    void read(SourceBatch batch, boolean opening, Duration waited) {
        Instant told = Instant.ofEpochMilli(batch.sourceTime());
        sourceTime = told;
        if (batch.events().isEmpty()) {
            Duration behind = waited.compareTo(batch.unread()) > 0 ? waited : batch.unread();
            readThrough = opening ? readThrough : wall.instant().minus(behind);
        } else {
            readThrough = told;
            lastEventTime = Instant.ofEpochMilli(batch.events().getLast().timestamp());
        }
    }
}
