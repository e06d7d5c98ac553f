package dev.sluice.subscribe;

import java.time.Duration;

/**
 * @param lease how long a gateway is up without a heartbeat
 * @param grace how long what it is owed is kept when it is away
 * @param most how many gateways there may be
 */
public record GatewayLeases(Duration lease, Duration grace, int most) {
    public static final GatewayLeases DEFAULT =
            new GatewayLeases(Duration.ofSeconds(30), Duration.ofSeconds(300), 10_000);

    public GatewayLeases {
        if (!lease.isPositive() || grace.isNegative() || most < 1) {
            throw new IllegalArgumentException(
                    "A gateway's lease is longer than nothing, its grace not negative, and there may be at least one.");
        }
    }
}
