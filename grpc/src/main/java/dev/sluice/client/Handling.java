package dev.sluice.client;

import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.grpc.puller.v1.EventBatch;
import java.util.List;

/** Passes what arrives to the application's code and says how far that has come. */
final class Handling {
    private static final String RESYNC = "resync";
    private static final String HEARTBEAT = "heartbeat";

    /** Told the marker of what has been handled. */
    interface Progress {
        void handledThrough(String marker) throws Exception;
    }

    private final ConsumerOptions options;
    private final Progress progress;

    Handling(ConsumerOptions options, Progress progress) {
        this.options = options;
        this.progress = progress;
    }

    void handle(EventBatch batch) throws Exception {
        if (options.perBatch != null) {
            handleTogether(batch, options.perBatch);
        } else if (options.perEvent != null) {
            for (Event event : batch.getEventsList()) {
                if (isWanted(event)) {
                    handle(event, options.perEvent);
                }
            }
        }
        if (!batch.getProgress().isEmpty()) {
            progress.handledThrough(batch.getProgress());
        }
    }

    private void handleTogether(EventBatch batch, BatchCallback callback) throws Exception {
        List<Event> fresh = batch.getEventsList().stream()
                .filter(event -> isWanted(event) && !isRepeat(event))
                .toList();
        for (Event event : fresh) {
            tellOfResync(event);
        }
        if (!fresh.isEmpty()) {
            callback.handle(fresh, batch.getProgress());
        }
        fresh.forEach(this::remember);
    }

    private void handle(Event event, EventCallback callback) throws Exception {
        if (!isRepeat(event)) {
            tellOfResync(event);
            callback.handle(event);
            remember(event);
        }
        progress.handledThrough(event.getProgress());
    }

    private void tellOfResync(Event event) throws Exception {
        if (event.getOperationType().equals(RESYNC)) {
            options.listener.resync(event);
        }
    }

    private boolean isWanted(Event event) {
        return options.passHeartbeats || !isHeartbeat(event);
    }

    private static boolean isHeartbeat(Event event) {
        return event.getOperationType().equals(HEARTBEAT);
    }

    private boolean isRepeat(Event event) {
        return options.repeats != null && !isHeartbeat(event) && options.repeats.handledBefore(event);
    }

    private void remember(Event event) {
        if (options.repeats != null && !isHeartbeat(event)) {
            options.repeats.handled(event);
        }
    }
}
