package dev.sluice.worker.simulation;

import dev.sluice.worker.stream.Consumers;
import java.time.Duration;

/** Requests of one client to one consumer of the model. Calls from several threads are the link's to order. */
final class ModelPull implements Consumers.Pull, ModelDelivery.Acks {
    private static final Duration EXPIRES = Duration.ofSeconds(30);
    private static final Duration HEARTBEAT = Duration.ofSeconds(5);

    private final ModelServer server;
    private final ModelTime time;
    private final Link link;
    private final String consumer;
    private final Consumers.Receiver receiver;
    private volatile int outstanding;
    private int maxBytes;
    private boolean wanting;
    private boolean missedOnce;
    private Request latest = new Request(0);
    private volatile boolean closed;
    private boolean unsubscribed;

    ModelPull(ModelServer server, ModelTime time, Link link, String consumer, Consumers.Receiver receiver) {
        this.server = server;
        this.time = time;
        this.link = link;
        this.consumer = consumer;
        this.receiver = receiver;
        watchHeartbeats();
    }

    @Override
    public synchronized void want(int messages, int bytes) {
        maxBytes = bytes;
        wanting = messages > 0;
        int more = messages - outstanding;
        if (more > 0 && !closed) {
            outstanding = messages;
            send(more);
        }
    }

    private synchronized void send(int messages) {
        Request reply = new Request(link.connection());
        int bytes = maxBytes;
        link.send(
                "pull " + messages + " messages, " + bytes + " bytes from " + consumer,
                () -> server.request(
                        consumer, new PullRequest(reply, messages, bytes, time.nanos() + EXPIRES.toNanos())));
        latest = reply;
    }

    @Override
    public int outstanding() {
        return closed ? 0 : outstanding;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            link.send("unsubscribe from " + consumer, () -> unsubscribed = true);
        }
    }

    boolean isClosed() {
        return closed;
    }

    void broken(String reason) {
        if (!closed) {
            closed = true;
            receiver.broken(reason);
        }
    }

    /** The server sends heartbeats for waiting requests; when there is none twice in a row, the requests are gone. */
    private void watchHeartbeats() {
        link.later(HEARTBEAT, "heartbeat of " + consumer, () -> {
            if (closed) {
                return;
            }
            boolean waiting = latest.isWaiting();
            boolean missing = outstanding > 0 && !waiting;
            if (missing && missedOnce) {
                broken("no heartbeat");
                return;
            }
            missedOnce = missing;
            if (waiting) {
                receiveHeartbeat(server.deliveries(consumer));
            }
            watchHeartbeats();
        });
    }

    private void receiveHeartbeat(long delivered) {
        link.receive("heartbeat after delivery " + delivered + " of " + consumer, () -> {
            if (!closed) {
                receiver.idle(delivered);
            }
        });
    }

    @Override
    public void ack(String name, long sequence) {
        link.send("ack " + sequence, () -> server.ack(name, sequence));
    }

    @Override
    public void inProgress(String name, long sequence) {
        link.send("in progress " + sequence, () -> server.inProgress(name, sequence));
    }

    /** The client's end of one request. */
    private final class Request implements PullRequest.Reply {
        private final long connection;

        Request(long connection) {
            this.connection = connection;
        }

        boolean isWaiting() {
            return isConnected() && server.hasRequestOf(consumer, this);
        }

        @Override
        public void deliver(ModelDelivery delivery) {
            boolean lost = link.losesDelivery();
            link.receive((lost ? "loses " : "gets ") + delivery.sequence() + " of " + consumer, () -> {
                if (!closed && !lost) {
                    outstanding = Math.max(0, outstanding - 1);
                    receiver.delivered(delivery);
                }
            });
        }

        @Override
        public ModelDelivery.Acks acks() {
            return ModelPull.this;
        }

        @Override
        public boolean isConnected() {
            return !unsubscribed && link.isConnected(connection);
        }

        @Override
        public void ended(int undelivered) {
            link.receive("request ended", () -> {
                outstanding = Math.max(0, outstanding - undelivered);
                if (wanting && !closed) {
                    outstanding += undelivered;
                    send(undelivered);
                }
            });
        }

        @Override
        public void refused(String reason) {
            link.receive(reason, () -> broken(reason));
        }
    }
}
