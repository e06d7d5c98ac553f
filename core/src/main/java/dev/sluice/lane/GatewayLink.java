package dev.sluice.lane;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.EventOutcome;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether one gateway can be reached, and how: its deliverer, whether it is there, what its breaker thinks of it, and the
 * probe that finds out. Guarded by its lane.
 */
final class GatewayLink {
    private final GatewayBreaker breaker;
    private @Nullable Deliverer deliverer;
    private Duration unfenced = Duration.ZERO;
    private boolean up;
    private boolean closed;
    private boolean probing;

    /** Counts how often the gateway registered or came back: what came of an attempt before then is no sign. */
    private long registration;

    private LaneStatus.@Nullable LastError lastError;

    GatewayLink(GatewayBreaker breaker) {
        this.breaker = breaker;
    }

    /**
     * Returns how it was reached before, which is to be closed when the lock is free; null: it is no other way.
     *
     * @param unfencedFor as the deliverer says
     */
    @Nullable
    Deliverer up(Deliverer way, Duration unfencedFor) {
        Deliverer before = deliverer;
        deliverer = way;
        unfenced = unfencedFor;
        up = true;
        beginAnew();
        return before == way ? null : before;
    }

    /** It is there again, where it was. */
    void back() {
        up = deliverer != null;
        beginAnew();
    }

    private void beginAnew() {
        registration++;
        probing = false;
        lastError = null;
        breaker.reset();
    }

    /** Which registration an attempt that begins now belongs to. */
    long registration() {
        return registration;
    }

    boolean isCurrent(long ofAttempt) {
        return ofAttempt == registration;
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

    boolean isClosed() {
        return closed;
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

    /** How long an attempt may change something at a receiver that takes old tokens; zero: it refuses them. */
    Duration unfencedFor() {
        return unfenced;
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

    /** The reason of the last attempt that failed; null: nothing that failed is to be sent again, and the last one succeeded. */
    LaneStatus.@Nullable LastError lastError() {
        return lastError;
    }

    void failed(String reason, Instant at) {
        lastError = new LaneStatus.LastError(reason, at);
    }

    /**
     * Returns whether that was one failure too many. An attempt of an earlier registration does not count: it failed at
     * another address, or before the gateway started anew.
     *
     * @param othersFail something else that failed is still to be sent again: its reason stays
     */
    boolean counts(BatchOutcome outcome, long ofAttempt, Instant now, boolean othersFail) {
        if (!isCurrent(ofAttempt)) {
            return false;
        }
        String reason = reason(outcome);
        if (reason != null) {
            failed(reason, now);
        } else if (!othersFail) {
            lastError = null;
        }
        boolean closedBefore = breaker.isClosed();
        if (outcome instanceof BatchOutcome.RetryLater) {
            breaker.failed();
        } else {
            breaker.succeeded();
        }
        return closedBefore && !breaker.isClosed();
    }

    private static @Nullable String reason(BatchOutcome outcome) {
        return switch (outcome) {
            case BatchOutcome.Delivered all -> null;
            case BatchOutcome.PerEvent each -> firstToRetry(each);
            case BatchOutcome.Refused refused -> refused.reason();
            case BatchOutcome.RetryLater later -> later.reason();
            case BatchOutcome.Fenced fenced -> fenced.reason();
        };
    }

    private static @Nullable String firstToRetry(BatchOutcome.PerEvent answer) {
        for (EventOutcome each : answer.outcomes()) {
            if (each instanceof EventOutcome.RetryLater later) {
                return later.reason();
            }
        }
        return null;
    }

    /** It answers, whatever it makes of the events. */
    void answers() {
        breaker.succeeded();
    }

    String breakerState() {
        return breaker.state();
    }
}
