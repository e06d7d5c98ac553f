package dev.sluice.route;

import dev.sluice.lane.LaneSettings;
import dev.sluice.lane.RoutingMode;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;

/**
 * How the Streamer works on its partitions.
 *
 * @param partitions how many there are in all, on whatever member
 * @param maxFanout a broadcast goes to so many live gateways at most; 0: to all
 * @param reportInterval how often a partition's position is handed to its claim
 * @param reportCount and after how many acknowledged matches
 * @param lagThreshold a partition further behind its sources than this is lagging
 * @param flushTimeout how long a partition that is given up waits for what is under way
 * @param retriesPerSecond how fast dead letters go out again
 */
public record StreamerSettings(
        int partitions,
        RoutingMode mode,
        int maxFanout,
        LaneSettings lanes,
        Duration reportInterval,
        int reportCount,
        Duration lagThreshold,
        Duration flushTimeout,
        int retriesPerSecond) {

    public static final StreamerSettings DEFAULT = new StreamerSettings(
            1,
            RoutingMode.DIRECT,
            0,
            LaneSettings.DEFAULT,
            Duration.ofSeconds(5),
            1_000,
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            100);

    public StreamerSettings {
        require(partitions > 0 && partitions <= 65_536, "there are 1 to 65536 partitions, not " + partitions);
        require(maxFanout >= 0, "max_fanout is not below 0");
        require(
                reportInterval.isPositive() && reportCount > 0 && retriesPerSecond > 0,
                "positions are reported, and dead letters retried, at a rate above 0");
        require(
                lagThreshold.isPositive() && !flushTimeout.isNegative(),
                "lag_threshold is a time above 0, and flush_timeout not below 0");
    }

    public StreamerSettings withLanes(LaneSettings changed) {
        return new StreamerSettings(
                partitions,
                mode,
                maxFanout,
                changed,
                reportInterval,
                reportCount,
                lagThreshold,
                flushTimeout,
                retriesPerSecond);
    }

    public StreamerSettings withPartitions(int changed) {
        return new StreamerSettings(
                changed,
                mode,
                maxFanout,
                lanes,
                reportInterval,
                reportCount,
                lagThreshold,
                flushTimeout,
                retriesPerSecond);
    }

    public StreamerSettings withMode(RoutingMode changed, int fanout) {
        return new StreamerSettings(
                partitions,
                changed,
                fanout,
                lanes,
                reportInterval,
                reportCount,
                lagThreshold,
                flushTimeout,
                retriesPerSecond);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new InvalidInputException(otherwise);
        }
    }
}
