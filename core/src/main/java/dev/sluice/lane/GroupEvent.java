package dev.sluice.lane;

/** An event that a delivery group was given, as far as a lane asks about it: cursors are the partition's affair. */
public interface GroupEvent {
    /** Whether the group is one subscription that is stuck: it is delivered apart. */
    boolean isStuck();

    /** Whether every gateway gets what this group gets. */
    boolean isBroadcast();
}
