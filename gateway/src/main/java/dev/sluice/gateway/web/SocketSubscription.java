package dev.sluice.gateway.web;

/** A subscription of a WebSocket client, under the id that the gateway gave it. */
final class SocketSubscription {
    private final String id;
    private boolean over;

    /** The newest resume id that the client was told. */
    private volatile String told = "";

    SocketSubscription(String id) {
        this.id = id;
    }

    String id() {
        return id;
    }

    /** Nothing more is passed on to the client when this method has returned. */
    synchronized void end() {
        over = true;
    }

    /** Runs an action that puts a message into the client's queue, which never waits. */
    synchronized void unlessOver(Runnable action) {
        if (!over) {
            action.run();
        }
    }

    boolean isNews(String progress) {
        return !progress.isEmpty() && !progress.equals(told);
    }

    void told(String progress) {
        told = progress.isEmpty() ? told : progress;
    }
}
