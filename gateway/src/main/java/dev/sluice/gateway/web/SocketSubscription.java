package dev.sluice.gateway.web;

/** A subscription of a WebSocket client, under the id that the gateway gave it. */
final class SocketSubscription {
    private final String id;
    private volatile boolean over;

    /** The newest resume id that the client was told. */
    private volatile String told = "";

    SocketSubscription(String id) {
        this.id = id;
    }

    String id() {
        return id;
    }

    /** Nothing more is passed on to the client. */
    void end() {
        over = true;
    }

    boolean isOver() {
        return over;
    }

    boolean isNews(String progress) {
        return !progress.isEmpty() && !progress.equals(told);
    }

    void told(String progress) {
        told = progress.isEmpty() ? told : progress;
    }
}
