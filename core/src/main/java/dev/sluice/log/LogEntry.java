package dev.sluice.log;

/** One event where it stands in its log. */
public record LogEntry(LogPosition position, EventRecord event) {
    /** What the entry counts for wherever bytes are bounded: the stored record with its key. */
    public int bytes() {
        return LogPosition.KEY_BYTES + event.size();
    }

    public LogPoint point() {
        return new LogPoint(position, event.id());
    }
}
