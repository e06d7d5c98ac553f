package dev.sluice.lane;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a lane says of one subscription of one partition, for status reports. Made under the lane's lock.
 *
 * @param untilProbe of an open breaker; not positive: a probe is due or under way
 * @param full why the partition may not hand over more of what it reads again; null: it may, or was not asked for
 * @param batch the subscription's batch that is not acknowledged; null: there is none
 * @param burying an event of it is being stored as a dead letter
 */
public record LaneView(
        boolean up,
        boolean broken,
        Duration untilProbe,
        String lastError,
        @Nullable String full,
        @Nullable Batch batch,
        boolean burying) {
    /**
     * A batch that is not acknowledged.
     *
     * @param flying it is under way; otherwise it waits to be sent again
     * @param again how long until it is sent again
     * @param failures attempts in a row that failed
     * @param laterFor how long the gateway has wanted an event of the subscription later; zero: it does not
     */
    public record Batch(boolean flying, Duration again, int failures, Duration laterFor) {}

    /** @param flow of the subscription in its partition; null: it has had no event through this lane */
    static LaneView of(
            GatewayLink link, @Nullable String full, InFlightBatches inFlight, @Nullable Flow flow, long now) {
        LaneStatus.LastError error = link.lastError();
        return new LaneView(
                link.isUp(),
                link.isBroken(),
                link.isBroken() && !link.isProbing() ? link.untilProbe() : Duration.ZERO,
                error == null ? "" : error.reason(),
                full,
                flow == null ? null : batch(inFlight.of(flow), flow, now),
                flow != null && inFlight.isBurying(flow));
    }

    private static @Nullable Batch batch(@Nullable Shipment shipment, Flow flow, long now) {
        if (shipment == null) {
            return null;
        }
        long laterSince = shipment.left().stream()
                .filter(each -> each.flow == flow && each.laterSince != 0)
                .mapToLong(each -> each.laterSince)
                .findFirst()
                .orElse(now);
        return new Batch(
                shipment.flying,
                Duration.ofNanos(Math.max(0, shipment.dueAt - now)),
                shipment.failures(),
                Duration.ofNanos(now - laterSince));
    }
}
