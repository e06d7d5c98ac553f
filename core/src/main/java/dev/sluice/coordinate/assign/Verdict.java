package dev.sluice.coordinate.assign;

import java.time.Duration;

/** What the {@link Stabiliser} says to the members it is shown. */
public sealed interface Verdict {
    /** The members are those of the last reassignment. */
    record Settled() implements Verdict {}

    /** Something changed, but its window, or the minimum interval, is not over: look again then, or earlier. */
    record Wait(Duration left) implements Verdict {}

    /** Assign now, over the members as they are, and tell the stabiliser. */
    record Reassign(Reason reason) implements Verdict {}

    enum Reason {
        /** The group has no assignment yet. */
        COLD_START,
        /** Members joined, left in order, or changed their weight. */
        PLANNED,
        /** There are partitions that the assignment does not know: they were added while the group ran. */
        GROWN,
        /** A member is gone without having said so: its partitions have no owner. */
        EMERGENCY
    }
}
