package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;

/** Where a change stream begins. */
public sealed interface StartPoint {
    /** With the next change that is committed. */
    record Now() implements StartPoint {}

    /** With the first change behind this token, also behind an invalidate. */
    record After(Checkpoint checkpoint) implements StartPoint {}

    /** With the first change at or after this time: inclusive, so that all of a transaction comes again. */
    record At(ClusterTime time) implements StartPoint {}
}
