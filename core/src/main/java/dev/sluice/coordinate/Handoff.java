package dev.sluice.coordinate;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Gives a partition up in good order: the user stops and reports its last position, then one compare-and-set writes that
 * position and releases the claim; whoever shall own it next takes it from there. A crash at any point leaves a claim that
 * is either released or its dead owner's, and both may be taken.
 */
final class Handoff {
    private final Claim claim;
    private final UserCalls user;
    private final Duration timeout;
    private final Duration retry;
    private final ClaimContext context;
    private final Clockwork.Signal wake;

    Handoff(
            Claim claim,
            UserCalls user,
            Duration timeout,
            Duration retry,
            ClaimContext context,
            Clockwork.Signal wake) {
        this.claim = claim;
        this.user = user;
        this.timeout = timeout;
        this.retry = retry;
        this.context = context;
        this.wake = wake;
    }

    /** Waits for the user to stop, for a bounded time. */
    void drain(BooleanSupplier stillOurs) {
        boolean inTime = user.revoking(timeout);
        if (!inTime && stillOurs.getAsBoolean()) {
            context.journal().handoffForced(claim, timeout);
        }
    }

    /** Writes the last position and releases, until that is decided or the member's life is over. */
    void release() {
        claim.close();
        while (true) {
            try {
                if (claim.write(Claim.Write.RELEASE)) {
                    context.journal().released(claim);
                }
                return;
            } catch (StoreUnavailableException e) {
                context.journal().storeAway(e);
                wake.await(retry);
            }
        }
    }
}
