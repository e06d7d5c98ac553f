package dev.sluice.route;

import dev.sluice.lane.LaneSettings;
import dev.sluice.lane.RoutingMode;

/** Settings of a Streamer in a test: the defaults, with what the test is about. */
final class SceneSettings {
    private SceneSettings() {}

    static StreamerSettings of(LaneSettings lanes) {
        return of(lanes, RoutingMode.DIRECT, 0);
    }

    static StreamerSettings of(LaneSettings lanes, RoutingMode mode, int fanout) {
        StreamerSettings usual = StreamerSettings.DEFAULT;
        return new StreamerSettings(
                mode,
                fanout,
                lanes,
                usual.reportInterval(),
                usual.reportCount(),
                usual.lagThreshold(),
                usual.flushTimeout(),
                usual.retriesPerSecond());
    }
}
