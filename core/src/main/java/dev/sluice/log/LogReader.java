package dev.sluice.log;

import dev.sluice.model.EventId;
import java.time.Duration;

/**
 * Reads one backend's log from any position: from memory near the head, from disk behind, switching by itself both ways.
 * It holds no position and nothing open between two calls, so one serves any number of consumers, and a slow one costs
 * nothing.
 */
public final class LogReader {
    private final EventLog log;
    private final LiveTail tail;
    private final boolean messages;

    public LogReader(EventLog log, LiveTail tail) {
        this(log, tail, false);
    }

    private LogReader(EventLog log, LiveTail tail, boolean messages) {
        this.log = log;
        this.tail = tail;
        this.messages = messages;
    }

    /** Of a log whose events are messages: the last one of a document does not stand for those before it. */
    public static LogReader ofMessages(EventLog log, LiveTail tail) {
        return new LogReader(log, tail, true);
    }

    /** Whether every event counts, also when a later one of the same document follows. */
    public boolean holdsMessages() {
        return messages;
    }

    /** What directly follows this position; see {@link EventLog#read}. */
    public LogRead read(LogPosition after, int maxEvents, long maxBytes) {
        LogRead near = tail.read(after, maxEvents, maxBytes);
        return near != null ? near : log.read(after, maxEvents, maxBytes);
    }

    /** The same, but waits for something to come when there is nothing; no entries when nothing came for so long. */
    public LogRead read(LogPosition after, int maxEvents, long maxBytes, Duration wait) throws InterruptedException {
        LogRead now = read(after, maxEvents, maxBytes);
        boolean nothing =
                now instanceof LogRead.Entries found && found.entries().isEmpty();
        return nothing && tail.await(after, wait) ? read(after, maxEvents, maxBytes) : now;
    }

    public Located locate(EventId id) {
        return log.locate(id);
    }

    public LogState state() {
        return log.state();
    }

    /** An estimate; 0 only at the head. */
    public long eventsBehind(LogPosition position) {
        return LogSize.eventsBehind(log, position);
    }

    /** Has this run after each commit; see {@link LiveTail#onCommit}. */
    public Runnable onCommit(Runnable wakeUp) {
        return tail.onCommit(wakeUp);
    }
}
