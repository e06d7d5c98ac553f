package dev.sluice.server.streamer;

import dev.sluice.lane.LaneStatus;
import dev.sluice.server.http.HealthPart;
import dev.sluice.server.http.Json;
import java.time.Duration;

/**
 * The part of {@code /health} about one gateway: {@code healthy}, {@code lagging}, {@code unreachable}, {@code away} or {@code
 * unknown}. The last two are healthy while the gateway is owed nothing old: one that was stopped on purpose looks the same.
 */
final class GatewayHealth {
    private GatewayHealth() {}

    /** @param threshold from how far behind a gateway is not healthy */
    static HealthPart of(LaneStatus lane, Duration threshold) {
        var lagging = lane.lag().compareTo(threshold) > 0;
        var up = lane.state().equals("up");
        var unreachable = up && lane.isBroken();
        var answer = Json.object(
                "id", lane.gatewayId(),
                "status", !up ? lane.state() : unreachable ? "unreachable" : lagging ? "lagging" : "healthy",
                "lagSeconds", lane.lag().toSeconds());
        if (lagging || unreachable) {
            answer.put("reason", Json.value(reason(lane, lagging, unreachable)));
        }
        return new HealthPart(HealthPart.Kind.GATEWAYS, !lagging && !unreachable, answer);
    }

    private static String reason(LaneStatus lane, boolean lagging, boolean unreachable) {
        var behind = "its oldest unacknowledged change is " + lane.lag().toSeconds() + " s old";
        if (!unreachable) {
            return behind;
        }
        var failed = "deliveries fail, so its breaker is " + lane.breaker();
        return lagging ? failed + "; " + behind : failed;
    }
}
