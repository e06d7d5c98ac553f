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

    /**
     * The gateway wants a delivery later. Returns whether it has done so for a window of time, while it acknowledges most others;
     * nothing of its class is sent beside one that stands for many, so there the time alone decides.
     */
    boolean isStuck(PendingDelivery delivery, long now) {
        delivery.laterSince = delivery.laterSince == 0 ? now : delivery.laterSince;
        boolean mostAcknowledged = acknowledged + acknowledgedBefore > later + laterBefore;
        return now - delivery.laterSince >= windowNanos && (delivery.representative || mostAcknowledged);
    }
}
