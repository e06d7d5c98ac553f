package dev.sluice.route;

import dev.sluice.feed.EventFeed;
import dev.sluice.lane.Lanes;
import dev.sluice.lane.Router;
import dev.sluice.run.Turns;
import dev.sluice.subscribe.RegistryView;

/** What all partitions of one Streamer share. */
record StreamerContext(
        StreamerSettings settings,
        EventFeed feed,
        RegistryView registry,
        Router router,
        Lanes lanes,
        Turns turns,
        StreamerCounters counters) {}
