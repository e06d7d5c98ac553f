package dev.sluice.log;

import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.Position;
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

    /**
     * Returns the position of an event id, for a reader that goes on behind it. An id that the log does not know, or whose
     * hash is 0, is resolved to the place before its cluster time; so is one that is older than what the log keeps, where
     * a read answers {@link LogRead.Evicted}, and one that capture has not reached, where a read finds nothing yet.
     */
    public Position resolve(EventId id) {
        return switch (log.locate(id)) {
            case Located.At at -> positionAt(at.position(), id);
            case Located.TooOld tooOld -> Position.before(id.time());
            case Located.Ahead ahead -> Position.before(id.time());
        };
    }

    /** The birth of a log leads to its beginning, which has a cluster time of its own. */
    private static Position positionAt(LogPosition found, EventId id) {
        boolean known = found.time().equals(id.time())
                && (found.ordinal() > 0 || id.time().equals(ClusterTime.ZERO));
        return new Position(known ? id : new EventId(found.time(), 0), found.ordinal());
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
