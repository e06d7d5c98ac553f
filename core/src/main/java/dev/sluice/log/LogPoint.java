package dev.sluice.log;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.Position;
import dev.sluice.model.RawBson;

/**
 * A position together with the id that consumers know it by. An id of hash 0 stands for the place just before the first
 * event of its cluster time.
 */
public record LogPoint(LogPosition position, EventId id) {
    /**
     * Of a log to which nothing was ever appended, so that it cannot say what it misses. The birth, a random number, is
     * what a consumer that comes before the first event is known by later: another log, also one in the same
     * directory, may begin later and must not take that marker for its own.
     */
    public static LogPoint unstarted(long birth) {
        return new LogPoint(LogPosition.START, new EventId(ClusterTime.ZERO, birth));
    }

    /**
     * The event this token came with stands first in its cluster time, though the log does not have it: what else
     * happened at that time may have come before the token or come after it, and only the latter can be read here.
     */
    static LogPoint of(Checkpoint checkpoint) {
        RawBson token = checkpoint.token();
        EventId id = EventId.of(checkpoint.time(), token.array(), token.offset(), token.length());
        return new LogPoint(new LogPosition(checkpoint.time(), 1), id);
    }

    /** The same place in the form that leaves the log. */
    public Position toPosition() {
        return new Position(id, position.ordinal());
    }

    public static LogPoint before(ClusterTime time) {
        return new LogPoint(LogPosition.before(time), new EventId(time, 0));
    }
}
