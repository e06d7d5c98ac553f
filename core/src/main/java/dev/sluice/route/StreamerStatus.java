package dev.sluice.route;

import dev.sluice.lane.LaneStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What the Streamer is doing now. */
public record StreamerStatus(List<OfPartition> partitions, List<LaneStatus> lanes) {
    /** How a partition does; the names are what health checks show. */
    public enum Health {
        HEALTHY,
        /** Further behind its sources than the threshold. */
        LAGGING,
        /** Changes are missing, and some subscription has not confirmed that it knows. */
        STALE,
        /** It is not being worked on: its events cannot be read, or another member owns it. */
        FAILED;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One partition that this member owns.
     *
     * @param lag behind the slowest source
     * @param eventRate events per second, over the last while
     * @param lastEvent when the last event it has seen was committed
     * @param remembered how many events of its tail are in memory
     * @param unacknowledged matches on their way
     * @param why in words, where it is not healthy
     */
    public record OfPartition(
            int id,
            Health health,
            Duration lag,
            double eventRate,
            Optional<Instant> lastEvent,
            int remembered,
            long unacknowledged,
            String why) {}
}
