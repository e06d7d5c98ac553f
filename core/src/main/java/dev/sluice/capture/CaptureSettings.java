package dev.sluice.capture;

import dev.sluice.model.BackendName;
import java.time.Duration;

/**
 * How one backend is captured.
 *
 * @param start where to begin when nothing is known: no event log, no mirrored checkpoint
 * @param onGap what to do when the source has lost changes that were not captured yet
 * @param maxGap neither events nor a moving position for so long is a stall
 * @param lagThreshold behind the source by more than this is called lagging
 * @param retention how much history is worth reading again after the disk was lost
 */
public record CaptureSettings(
        String backend,
        Start start,
        OnGap onGap,
        CheckpointPolicy checkpoints,
        ReconnectLimits reconnect,
        Duration maxGap,
        Duration lagThreshold,
        Duration retention) {

    /** Where a backend begins of which nothing is known. */
    public enum Start {
        NOW,
        EARLIEST,
        /** Do not begin: for those who expect a checkpoint and would rather be asked than miss changes. */
        STOP
    }

    /** What a gap leads to. */
    public enum OnGap {
        /** Tell every consumer to resync, and go on from now. */
        RESYNC,
        STOP
    }

    public CaptureSettings {
        BackendName.check(backend);
        for (Duration positive : new Duration[] {maxGap, lagThreshold, retention}) {
            if (positive.isNegative() || positive.isZero()) {
                throw new IllegalArgumentException("max_gap, lag_threshold and retention are longer than zero");
            }
        }
    }

    public static CaptureSettings of(String backend) {
        return new CaptureSettings(
                backend,
                Start.NOW,
                OnGap.RESYNC,
                CheckpointPolicy.DEFAULT,
                ReconnectLimits.DEFAULT,
                Duration.ofMinutes(5),
                Duration.ofSeconds(30),
                Duration.ofHours(1));
    }

    public CaptureSettings withStart(Start start) {
        return new CaptureSettings(backend, start, onGap, checkpoints, reconnect, maxGap, lagThreshold, retention);
    }

    public CaptureSettings withOnGap(OnGap onGap) {
        return new CaptureSettings(backend, start, onGap, checkpoints, reconnect, maxGap, lagThreshold, retention);
    }

    public CaptureSettings withReconnect(ReconnectLimits reconnect) {
        return new CaptureSettings(backend, start, onGap, checkpoints, reconnect, maxGap, lagThreshold, retention);
    }
}
