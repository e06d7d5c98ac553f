package dev.sluice.client;

import dev.sluice.grpc.puller.v1.Event;

/** The application's own code for one event. */
@FunctionalInterface
public interface EventCallback {
    /**
     * Handles the event. When it returns, the event counts as handled; when it throws, this event and those behind it are
     * received again, after a pause.
     */
    void handle(Event event) throws Exception;
}
