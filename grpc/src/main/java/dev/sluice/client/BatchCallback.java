package dev.sluice.client;

import dev.sluice.grpc.puller.v1.Event;
import java.util.List;

/** The application's own code for several events at once, in order. */
@FunctionalInterface
public interface BatchCallback {
    /**
     * Handles the events. When it returns, all of them count as handled; when it throws, none does, and they are received
     * again, after a pause.
     *
     * @param marker to keep with what was done for these events, where both fit into one transaction
     */
    void handle(List<Event> events, String marker) throws Exception;
}
