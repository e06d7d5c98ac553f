package dev.sluice.log;

import java.util.List;

/**
 * How much lies behind a position, estimated by the segments: exact at their borders, in proportion of time within one.
 * Good enough to tell a consumer that keeps up from one that is far behind.
 */
public final class LogSize {
    private LogSize() {}

    /** About how many events a reader at this position has not read; 0 only when it is at the head. */
    public static long eventsBehind(EventLog log, LogPosition position) {
        if (position.compareTo(log.state().head().position()) >= 0) {
            return 0;
        }
        return Math.max(1, eventsBehind(log.segments(), position));
    }

    static long eventsBehind(List<Segment> segments, LogPosition position) {
        double behind = 0;
        for (Segment segment : segments.reversed()) {
            double part = partBehind(segment, position);
            behind += part * segment.events();
            if (part < 1) {
                break;
            }
        }
        return Math.round(behind);
    }

    private static double partBehind(Segment segment, LogPosition position) {
        double length = segment.last().value() - segment.first().value() + 1;
        double read = position.time().value() - segment.first().value() + Math.min(1, position.ordinal());
        return Math.clamp((length - read) / length, 0.0, 1.0);
    }
}
