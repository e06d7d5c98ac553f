package dev.sluice.route;

import dev.sluice.lane.LaneSettings;
import dev.sluice.lane.RoutingMode;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;

/**
 * How the Streamer works on its partitions.
 *
 * @param maxFanout a broadcast goes to so many live gateways at most; 0: to all
 * @param reportInterval how often a partition's position is handed to its claim
 * @param reportCount and after how many acknowledged matches
 * @param lagThreshold a partition further behind its sources than this is lagging
 * @param flushTimeout how long a partition that is given up waits for what is under way
 * @param retriesPerSecond how fast dead letters go out again
 */
public record StreamerSettings(
        RoutingMode mode,
        int maxFanout,
        LaneSettings lanes,
        Duration reportInterval,
        int reportCount,
        Duration lagThreshold,
        Duration flushTimeout,
        int retriesPerSecond) {

    public static final StreamerSettings DEFAULT = new StreamerSettings(
            RoutingMode.DIRECT,
            0,
            LaneSettings.DEFAULT,
            Duration.ofSeconds(5),
            1_000,
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            100);

    public StreamerSettings {
        require(maxFanout >= 0, "max_fanout is not below 0");
        require(
                reportInterval.isPositive() && reportCount > 0 && retriesPerSecond > 0,
                "positions are reported, and dead letters retried, at a rate above 0");
        require(
                lagThreshold.isPositive() && !flushTimeout.isNegative(),
                "lag_threshold is a time above 0, and flush_timeout not below 0");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new InvalidInputException(otherwise);
        }
    }
}
