package dev.sluice.worker.simulation;

/** How unreliable connections are: chances per message. */
final class LinkFaults {
    double lostDeliveries;
    double lostSends;
    double slowUpdates;

    void clear() {
        lostDeliveries = 0;
        lostSends = 0;
        slowUpdates = 0;
    }
}
