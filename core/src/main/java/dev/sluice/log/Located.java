package dev.sluice.log;

import dev.sluice.model.EventId;

/** Where a consumer who has seen everything up to an event id goes on in this log. */
public sealed interface Located {
    /** Here. */
    record At(LogPosition position) implements Located {}

    /**
     * Events it has not seen have left this log.
     *
     * @param oldest the id behind which everything is still there
     */
    record TooOld(EventId oldest) implements Located {}

    /** Capture has not come that far yet (the id is from another Puller that is ahead): wait, then ask again. */
    record Ahead() implements Located {}
}
