package dev.sluice.route;

import dev.sluice.lane.Hearers;
import dev.sluice.lane.Router;

/**
 * Which gateways hear a subscription, as the groups of a partition show it. The router may change at any moment, in the middle of
 * a step; groups follow it only between steps, all at once, and what is placed, moved or offered meanwhile goes by what they show.
 * For the partition's thread.
 */
final class Audience {
    private final Router router;
    private Hearers shown;

    Audience(Router router) {
        this.router = router;
        this.shown = router.hearers();
    }

    Hearers shown() {
        return shown;
    }

    /** The groups are made to fit the router as it is now. */
    void follow() {
        shown = router.hearers();
    }
}
