package dev.sluice.worker.simulation;

/** A pull request as it waits at a consumer. */
final class PullRequest {
    /** The client's side: called by the server, carried to the client by its connection. */
    interface Reply {
        void deliver(ModelDelivery delivery);

        /** How the client acknowledges what it gets. */
        ModelDelivery.Acks acks();

        /** False once the client's connection is gone: the server then forgets the request. */
        boolean isConnected();

        /** The request ended with so many messages undelivered: it expired, or reached its bytes. */
        void ended(int undelivered);

        /** Status 409 or 503: the consumer is gone, or its leader. */
        void refused(String reason);
    }

    final Reply reply;
    private final int maxBytes;
    private final long expiresAt;
    private int left;
    private int bytes;

    PullRequest(Reply reply, int messages, int maxBytes, long expiresAt) {
        this.reply = reply;
        this.left = messages;
        this.maxBytes = maxBytes;
        this.expiresAt = expiresAt;
    }

    int left() {
        return left;
    }

    boolean isExpired(long nanos) {
        return nanos - expiresAt >= 0;
    }

    /** Whether it has room for a message of this size; the first one always fits. */
    boolean takes(int size) {
        return left > 0 && (maxBytes == 0 || bytes == 0 || bytes + size <= maxBytes);
    }

    void deliver(ModelDelivery delivery) {
        left--;
        bytes += Math.max(1, delivery.data().length);
        reply.deliver(delivery);
    }
}
