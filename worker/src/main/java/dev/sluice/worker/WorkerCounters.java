package dev.sluice.worker;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of one worker since its start, and two gauges. The engine writes them; metrics and status read them. Any thread may
 * do either.
 */
public final class WorkerCounters {
    /** Deliveries received from all consumers, redeliveries and catch-up included. */
    public final LongAdder messages = new LongAdder();

    /** Deliveries with a delivery count above 1. */
    public final LongAdder redeliveries = new LongAdder();

    /** Deliveries received from catch-up readers. */
    public final LongAdder catchUpMessages = new LongAdder();

    /** Deliveries that reached no handler because their partition is not owned here (strays), or is no longer. */
    public final LongAdder staleAcksDropped = new LongAdder();

    /** Messages that a handler finished with {@link Outcome.Done}. */
    public final LongAdder handled = new LongAdder();

    /** Handler calls that ended with {@link Outcome.Retry} or {@link Outcome.Later}, an exception included. */
    public final LongAdder retried = new LongAdder();

    /** Messages stored in the dead-letter stream. */
    public final LongAdder deadLettered = new LongAdder();

    /** Creations and filter changes of consumers that were sent, failed ones included. */
    public final LongAdder updates = new LongAdder();

    /** Creations and filter changes of consumers that failed. */
    public final LongAdder updateFailures = new LongAdder();

    /** Updates that were not sent because the filters already are as wanted. */
    public final LongAdder updatesSkipped = new LongAdder();

    /** Subjects that occurred more than once in a wanted filter list; the repeat is removed. */
    public final LongAdder duplicateSubjects = new LongAdder();

    /** Partitions handed over to another worker. */
    public final LongAdder handoffs = new LongAdder();

    /** Times that messages between a cursor and the stream's first message were gone, or the stream was replaced. */
    public final LongAdder gaps = new LongAdder();

    /** Calls of a {@link WorkerListener} that threw. */
    public final LongAdder listenerFailures = new LongAdder();

    /** Messages of the owned partitions that the server has not delivered yet; the sum of the consumers' hints. */
    public final AtomicLong pending = new AtomicLong();

    /** Messages delivered and not acknowledged: queued, running, or between attempts. */
    public final AtomicLong unacknowledged = new AtomicLong();
}
