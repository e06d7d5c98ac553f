package dev.sluice.outbox.log;

import dev.sluice.model.ClusterTime;

/**
 * Cluster times of messages: the second of the database's clock in which a row was read, and the low 32 bits of its id. So the
 * log's retention and everybody's lag mean what they mean for other backends. Times never go back: a second that passes begins
 * anew, and a row that comes late, with an id below the last one of the same second, shares the last one's time, as the events of
 * one transaction do.
 */
final class EventTimes {
    private static final long LOW = 0xFFFF_FFFFL;

    private ClusterTime last;

    EventTimes(ClusterTime last) {
        this.last = last;
    }

    ClusterTime ofRow(long second, long row) {
        return atLeast(ClusterTime.of(Math.max(last.t(), second), row & LOW));
    }

    /** Nothing is to come from before this second. */
    ClusterTime ofQuiet(long second) {
        return atLeast(ClusterTime.of(second, 0));
    }

    private ClusterTime atLeast(ClusterTime time) {
        if (time.compareTo(last) > 0) {
            last = time;
        }
        return last;
    }

    ClusterTime last() {
        return last;
    }
}
