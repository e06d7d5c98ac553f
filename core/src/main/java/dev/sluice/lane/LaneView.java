package dev.sluice.lane;

import dev.sluice.model.Priority;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a lane says of one subscription of one partition, for status reports. Made under the lane's lock.
 *
 * @param untilProbe of an open breaker; not positive: a probe is due or under way
 * @param held matches of all classes that wait or are under way
 * @param percent how full the lane is for the subscription's class
 * @param batch the subscription's batch that is not acknowledged; null: there is none
 * @param burying an event of it is being stored as a dead letter
 */
public record LaneView(
        boolean up,
        boolean broken,
        Duration untilProbe,
        String lastError,
        int held,
        int percent,
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
            GatewayLink link,
            LaneQueues queues,
            InFlightBatches inFlight,
            @Nullable Flow flow,
            Priority priority,
            long now) {
        LaneStatus.LastError error = link.lastError();
        return new LaneView(
                link.isUp(),
                link.isBroken(),
                link.isBroken() && !link.isProbing() ? link.untilProbe() : Duration.ZERO,
                error == null ? "" : error.reason(),
                queues.held().values().stream().mapToInt(Integer::intValue).sum(),
                queues.percent(priority),
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
