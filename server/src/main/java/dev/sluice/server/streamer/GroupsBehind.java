package dev.sluice.server.streamer;

import dev.sluice.lane.LaneStatus;

/** Figures of the delivery groups of one gateway that are behind the tail, over all partitions of this node. */
final class GroupsBehind {
    private GroupsBehind() {}

    /** Side groups: a few subscriptions each that stand elsewhere than the others of their gateway. */
    static long side(LaneStatus lane) {
        return lane.behind().stream().filter(group -> group.members() > 0).count();
    }

    /** Subscriptions delivered apart because the gateway keeps answering <em>later</em>; once for each partition. */
    static long stuck(LaneStatus lane) {
        return lane.behind().stream()
                .filter(group -> group.waits() == LaneStatus.Wait.STUCK)
                .mapToLong(LaneStatus.Behind::members)
                .sum();
    }
}
