package dev.sluice.gateway.web;

import java.time.Clock;
import java.time.Instant;
import java.util.Optional;

/**
 * An end user who was let in.
 *
 * @param name for logs
 * @param tenant the only tenant whose changes it may see; empty: all of them
 * @param until when it has to show itself again; its connections end then
 */
public record Caller(String name, Optional<String> tenant, Optional<Instant> until) {
    /** The tenant a subscription of this caller is bound to; empty: any. */
    String tenantOf(String asked) throws RefusedException {
        if (tenant.isEmpty() || asked.equals(tenant.get())) {
            return asked;
        }
        if (asked.isEmpty()) {
            return tenant.get();
        }
        throw RefusedException.forbidden("you may not see that tenant");
    }

    /** Whether its time is over by this clock, which is asked only where there is an end. */
    boolean isOver(Clock clock) {
        return until.isPresent() && !clock.instant().isBefore(until.get());
    }
}
