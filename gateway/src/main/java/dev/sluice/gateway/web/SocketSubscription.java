package dev.sluice.gateway.web;

import java.util.function.Consumer;
import java.util.function.Supplier;

/** A subscription of a WebSocket client: its id in the gateway, and the client's own id for it. */
final class SocketSubscription {
    private final String id;
    private final String clientId;
    private final byte[] eventStart;
    private boolean over;

    /** The newest resume id that the client was told. */
    private String told = "";

    SocketSubscription(String id, String clientId) {
        this.id = id;
        this.clientId = clientId;
        this.eventStart = SocketText.eventStart(clientId);
    }

    String id() {
        return id;
    }

    String clientId() {
        return clientId;
    }

    /** The beginning of every message with an event, up to the event's JSON. */
    byte[] eventStart() {
        return eventStart;
    }

    /** Nothing more is passed on to the client when this method has returned. */
    synchronized void end() {
        over = true;
    }

    /**
     * Undoes {@link #end}, if it was called. Events were dropped meanwhile, so the client is told to resync before anything
     * else, and before {@link #isNews} offers a resume id that covers them.
     */
    synchronized void revive(Supplier<String> progress, Consumer<String> resync) {
        if (over) {
            over = false;
            String reached = progress.get();
            tell(reached, () -> resync.accept(reached));
        }
    }

    /**
     * Runs an action that passes a message on to the client, unless this subscription is over. One at a time, so the last
     * message has the id that {@link #isNews} compares with.
     *
     * @param progress the resume id in the message; empty: the message has none
     * @param message must not wait
     */
    synchronized void tell(String progress, Runnable message) {
        if (!over) {
            told = progress.isEmpty() ? told : progress;
            message.run();
        }
    }

    /** Whether the client should be told this resume id. */
    synchronized boolean isNews(String progress) {
        return !over && !progress.isEmpty() && !progress.equals(told);
    }
}
