package dev.sluice.capture;

/** How capture of one backend stands. */
public enum CaptureStatus {
    STARTING,
    HEALTHY,
    /** Works, but is behind the source by more than the threshold. */
    LAGGING,
    /** Connected, but neither events nor positions came for {@code max_gap}. */
    STALLED,
    /** Another process reads this source, and only one may: it takes over when that one stops. */
    STANDBY,
    /** The source (or the event log) failed; trying again soon. */
    RETRYING,
    /** It kept failing; trying again only now and then. */
    BREAKER_OPEN,
    /** Changes were lost at the source and the policy says to stop: a person decides. */
    STOPPED_BY_GAP,
    /** It cannot work like this: a person must change a setting, a permission or a saved token. */
    MISCONFIGURED,
    /** Shut down. */
    CLOSED;

    public boolean isHealthy() {
        return this == HEALTHY;
    }

    /** Nothing happens any more until somebody acts. */
    public boolean isFinal() {
        return this == STOPPED_BY_GAP || this == CLOSED;
    }
}
