package dev.sluice.route;

/** What all partitions of one Streamer share. */
record Surroundings(
        StreamerSettings settings,
        EventFeed feed,
        KnownSubscriptions known,
        Router router,
        Lanes lanes,
        Arriving arriving,
        Turns turns,
        StreamerCounters counters) {}
