package dev.sluice.server.streamer;

import dev.sluice.log.EventRecord;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.ProgressMarker;
import dev.sluice.route.EventFeed;
import dev.sluice.route.FeedEvent;
import dev.sluice.stream.EventSink;
import dev.sluice.stream.MarkerText;
import java.util.ArrayList;
import java.util.List;

/** Collects one batch. */
final class FeedSink implements EventSink {
    private final List<FeedEvent> events = new ArrayList<>();
    private long bytes;
    private long sourceTime = Long.MAX_VALUE;

    @Override
    public void event(
            String backend, EventRecord event, int ordinal, boolean lastState, int partition, MarkerText marker) {
        events.add(new FeedEvent(event.toChangeEvent(backend), event.before()));
        bytes += event.size();
    }

    @Override
    public void heartbeat(String backend, ClusterTime time, MarkerText marker) {
        sourceTime = Math.min(sourceTime, time.toEpochMillis());
    }

    @Override
    public long bytes() {
        return bytes;
    }

    int size() {
        return events.size();
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    EventFeed.Batch batch(ProgressMarker passed) {
        return new EventFeed.Batch(events, passed, sourceTime == Long.MAX_VALUE ? 0 : sourceTime);
    }
}
