package dev.sluice.lane;

/** How a gateway answered within the last one or two windows of time. Guarded by its lane. */
final class RecentAnswers {
    private final long windowNanos;
    private long windowSince;
    private long acknowledged;
    private long later;
    private long acknowledgedBefore;
    private long laterBefore;

    RecentAnswers(long windowNanos) {
        this.windowNanos = windowNanos;
    }

    void add(int nowAcknowledged, int nowLater, long now) {
        if (now - windowSince >= windowNanos) {
            boolean old = now - windowSince >= 2 * windowNanos;
            acknowledgedBefore = old ? 0 : acknowledged;
            laterBefore = old ? 0 : later;
            acknowledged = 0;
            later = 0;
            windowSince = now;
        }
        acknowledged += nowAcknowledged;
        later += nowLater;
    }

    boolean mostAcknowledged() {
        return acknowledged + acknowledgedBefore > later + laterBefore;
    }
}
