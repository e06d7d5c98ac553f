package dev.sluice.grpc;

import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.grpc.puller.v1.EventBatch;
import dev.sluice.model.Operation;
import dev.sluice.model.ProgressMarker;
import dev.sluice.route.EventFeed;
import dev.sluice.route.FeedEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What has come of a stream and was not handed on yet, and how far it reaches. For one thread. */
final class ReceivedEvents {
    private record Waiting(Event event, FeedEvent decoded) {}

    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private final Map<String, Long> heartbeats = new HashMap<>();
    private String reached = "";
    private boolean told;

    void add(EventBatch batch) {
        for (Event event : batch.getEventsList()) {
            Operation operation = Operation.parse(event.getOperationType());
            if (operation == Operation.HEARTBEAT) {
                heartbeats.put(event.getBackend(), event.getTimestamp());
            } else {
                waiting.add(new Waiting(
                        event, new FeedEvent(EventMessages.change(event, operation), EventMessages.before(event))));
            }
        }
        reached = batch.getProgress();
    }

    boolean hasMarker() {
        return told || !reached.isEmpty();
    }

    /** Events; or, at first, where the stream begins. */
    boolean hasSomethingToTell() {
        return !waiting.isEmpty() || !told && !reached.isEmpty();
    }

    EventFeed.Batch take(int maxEvents) {
        told = true;
        List<FeedEvent> events = new ArrayList<>(Math.min(maxEvents, waiting.size()));
        String progress = reached;
        while (!waiting.isEmpty() && events.size() < maxEvents) {
            Waiting next = waiting.remove();
            events.add(next.decoded());
            progress = waiting.isEmpty() ? reached : next.event().getProgress();
        }
        ProgressMarker marker = ProgressMarker.decode(progress);
        return new EventFeed.Batch(events, marker, sourceTime(marker));
    }

    /** Known when every backend has said so. */
    private long sourceTime(ProgressMarker marker) {
        return marker.positions().keySet().stream()
                .mapToLong(backend -> heartbeats.getOrDefault(backend, 0L))
                .min()
                .orElse(0);
    }
}
