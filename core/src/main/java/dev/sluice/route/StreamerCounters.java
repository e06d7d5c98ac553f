package dev.sluice.route;

import dev.sluice.lane.LaneCounters;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/** What happened since this process began to stream. Any thread may read. */
public final class StreamerCounters extends LaneCounters {
    final LongAdder events = new LongAdder();
    final LongAdder matches = new LongAdder();
    final LongAdder routed = new LongAdder();
    final LongAdder unmatchable = new LongAdder();
    final LongAdder caughtUp = new LongAdder();
    final LongAdder reread = new LongAdder();
    final LongAdder resyncs = new LongAdder();
    final LongAdder gaps = new LongAdder();
    final LongAdder dropped = new LongAdder();
    final LongAdder reports = new LongAdder();
    final LongAdder positionsShortened = new LongAdder();
    final LongAdder reportErrors = new LongAdder();
    final LongAdder reportNanos = new LongAdder();
    final LongAdder restarts = new LongAdder();

    /** How long matching an event and handing its matches over took, in nanoseconds. */
    volatile LongConsumer routingTime = nanos -> {};

    /** Events read at the tail of the streams. */
    public long events() {
        return events.sum();
    }

    /** Events that are no BSON: nobody can be told. */
    public long unmatchable() {
        return unmatchable.sum();
    }

    public long matches() {
        return matches.sum();
    }

    /** Matches that a lane took. */
    public long routed() {
        return routed.sum();
    }

    /** Has each event's matching and routing measured, from now on; in nanoseconds, by the thread that does it. */
    public void measureRouting(LongConsumer times) {
        routingTime = times;
    }

    /** Times a class, or a subscription that began in the past, came back to the head. */
    public long caughtUp() {
        return caughtUp.sum();
    }

    /** Events read again for those that were behind. */
    public long reread() {
        return reread.sum();
    }

    /** Subscriptions told to resync because what they were owed is no longer kept. */
    public long resyncs() {
        return resyncs.sum();
    }

    /** Times changes were missing: announced by the Puller, or found where a position was too old. */
    public long gaps() {
        return gaps.sum();
    }

    /** Matches that were on their way when their subscription ended. */
    public long dropped() {
        return dropped.sum();
    }

    /** Positions that were too long to be saved, so that one that begins earlier was saved instead. */
    public long positionsShortened() {
        return positionsShortened.sum();
    }

    /** Positions handed to claims. */
    public long reports() {
        return reports.sum();
    }

    public long reportErrors() {
        return reportErrors.sum();
    }

    public long reportNanos() {
        return reportNanos.sum();
    }

    /** Times a partition's reading had to begin again. */
    public long restarts() {
        return restarts.sum();
    }
}
