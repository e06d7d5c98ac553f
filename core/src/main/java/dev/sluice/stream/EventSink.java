package dev.sluice.stream;

import dev.sluice.log.EventRecord;
import dev.sluice.model.ClusterTime;

/**
 * Where a stream's events go: it lays them out for sending. The marker changes with the next event, so a sink copies it
 * at once.
 */
public interface EventSink {
    /**
     * One event for this consumer.
     *
     * @param ordinal of the event among those of its cluster time, in this log
     * @param lastState send the document alone, as a replace, in place of the update it came with
     * @param marker what the consumer keeps when it has handled the event
     */
    void event(String backend, EventRecord event, int ordinal, boolean lastState, int partition, MarkerText marker);

    /** Everything this backend did up to this time has been passed. */
    void heartbeat(String backend, ClusterTime time, MarkerText marker);

    /** What has been laid out so far. */
    long bytes();
}
