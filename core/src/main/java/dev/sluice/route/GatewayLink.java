package dev.sluice.route;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Whether one gateway can be reached, and how: its deliverer, whether it is there, what its breaker thinks of it, and the
 * probe that finds out. Guarded by its lane.
 */
final class GatewayLink {
    private final GatewayBreaker breaker;
    private @Nullable Deliverer deliverer;
    private boolean up;
    private boolean closed;
    private boolean probing;

    GatewayLink(GatewayBreaker breaker) {
        this.breaker = breaker;
    }

    /** Returns how it was reached before, which is to be closed when the lock is free; null: it is no other way. */
    @Nullable
    Deliverer up(Deliverer way) {
        Deliverer before = deliverer;
        deliverer = way;
        up = true;
        breaker.reset();
        return before == way ? null : before;
    }

    /** It is there again, where it was. */
    void back() {
        up = deliverer != null;
        breaker.reset();
    }

    void away() {
        up = false;
    }

    /** Returns what is to be closed when the lock is free. */
    @Nullable
    Deliverer close() {
        Deliverer way = deliverer;
        closed = true;
        up = false;
        deliverer = null;
        return way;
    }

    boolean isUp() {
        return up;
    }

    boolean isReachable() {
        return up && !closed && breaker.isClosed();
    }

    /** Null while it is not there. */
    @Nullable
    Deliverer way() {
        return up && !closed ? deliverer : null;
    }

    /** It has failed too often: nothing goes out but a probe now and then. */
    boolean isBroken() {
        return !breaker.isClosed();
    }

    /** Whether a probe is to go out now, while there is none; whoever is told so sends it, and says what came of it. */
    boolean beginsProbe() {
        probing = breaker.probes();
        return probing;
    }

    boolean isProbing() {
        return probing;
    }

    void probed() {
        probing = false;
    }

    Duration untilProbe() {
        return breaker.untilProbe();
    }

    /** Returns whether that was one failure too many. */
    boolean counts(BatchOutcome outcome) {
        boolean closedBefore = breaker.isClosed();
        if (outcome instanceof BatchOutcome.RetryLater) {
            breaker.failed();
        } else {
            breaker.succeeded();
        }
        return closedBefore && !breaker.isClosed();
    }

    /** It answers, whatever it makes of the events. */
    void answers() {
        breaker.succeeded();
    }

    String breakerState() {
        return breaker.state();
    }
}
