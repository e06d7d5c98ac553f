package dev.sluice.log;

import dev.sluice.model.EventId;
import java.util.List;

/** What a read of the log found. */
public sealed interface LogRead {
    /**
     * The events that directly follow the position asked for, in order, without a hole.
     *
     * @param entries empty when the position is at the head
     * @param reached where the next read goes on
     */
    record Entries(List<LogEntry> entries, LogPosition reached) implements LogRead {}

    /**
     * Events behind that position have left the log: the reader was overtaken and must be told so.
     *
     * @param oldest the id behind which everything is still there
     */
    record Evicted(EventId oldest) implements LogRead {}
}
