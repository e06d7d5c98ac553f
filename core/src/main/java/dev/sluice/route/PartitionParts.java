package dev.sluice.route;

/** What the pieces of one partition's work share. For the partition's thread, under the partition's lock. */
record PartitionParts(
        Arrived arrived,
        PartitionStreams streams,
        Offering offering,
        RegistryFollower follower,
        ResyncOrders resyncs,
        PositionSaver saver,
        Gauge gauge) {}
