package dev.sluice.worker.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.impl.Headers;
import io.nats.client.support.Status;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pull requests of our own to one consumer. jnats' subscriptions would hide statuses, reconnects and missing heartbeats, and
 * go on where a delivery is lost.
 */
final class JetStreamPull implements Consumers.Pull {
    private static final Logger LOG = LoggerFactory.getLogger(JetStreamPull.class);

    private final Connection connection;
    private final Dispatcher dispatcher;
    private final String requests;
    private final PullTimes times;
    private final Consumers.Receiver receiver;
    private final Consumer<JetStreamPull> whenClosed;
    private final PullCredit credit = new PullCredit();
    private final String inbox;
    /** Held while the receiver runs, so that its calls come one after the other. */
    private final ReentrantLock receiving = new ReentrantLock();

    private volatile @Nullable Subscription subscription;
    private volatile long heardAt = System.nanoTime();
    private volatile boolean closed;

    /** @param requests the subject that takes the consumer's pull requests */
    JetStreamPull(
            Connection connection,
            Dispatcher dispatcher,
            String requests,
            PullTimes times,
            Consumers.Receiver receiver,
            Consumer<JetStreamPull> whenClosed) {
        this.connection = connection;
        this.dispatcher = dispatcher;
        this.requests = requests;
        this.times = times;
        this.receiver = receiver;
        this.whenClosed = whenClosed;
        this.inbox = connection.createInbox();
    }

    /** Each request has a subject of its own below the inbox, so that a status names its request. */
    void open() {
        subscription = dispatcher.subscribe(inbox + ".*", this::received);
    }

    @Override
    public void want(int messages, int maxBytes) {
        credit.want(messages, maxBytes);
        ask();
    }

    @Override
    public int outstanding() {
        return closed ? 0 : credit.outstanding();
    }

    private void ask() {
        if (closed) {
            return;
        }
        PullCredit.Request request = credit.next(System.nanoTime());
        if (request == null) {
            return;
        }
        if (credit.outstanding() == request.batch()) {
            // Silence counts from the first request on.
            heardAt = System.nanoTime();
        }
        try {
            connection.publish(requests, inbox + "." + request.number(), body(request));
        } catch (RuntimeException unsent) {
            LOG.debug("cannot send a pull request to {}: {}", requests, unsent.toString());
            credit.unsent(request);
        }
    }

    private byte[] body(PullCredit.Request request) {
        String bytes = request.maxBytes() > 0 ? ",\"max_bytes\":" + request.maxBytes() : "";
        String limits = ",\"expires\":" + times.expires().toNanos() + ",\"idle_heartbeat\":"
                + times.heartbeat().toNanos();
        return ("{\"batch\":" + request.batch() + bytes + limits + "}").getBytes(UTF_8);
    }

    /** Runs on the dispatcher's thread, which an Error would end: nothing leaves it. */
    private void received(Message message) {
        if (closed) {
            return;
        }
        heardAt = System.nanoTime();
        receiving.lock();
        try {
            if (message.isStatusMessage()) {
                status(message, message.getStatus());
            } else if (!closed) {
                credit.delivered();
                receiver.delivered(new JetStreamDelivery(connection, message, AckSubject.parse(message.getReplyTo())));
            }
            ask();
        } catch (Throwable failed) {
            LOG.error("the receiver of {} failed; its pull ends", requests, failed);
            broken("the receiver failed: " + failed);
        } finally {
            receiving.unlock();
        }
    }

    private void status(Message message, Status status) {
        String text = String.valueOf(status.getMessage());
        PullStatus kind = PullStatus.of(status.getCode(), text);
        switch (kind) {
            case HEARTBEAT -> heartbeat(message);
            case ENDED -> credit.ended(number(message), pending(message), false);
            case TOO_MANY_REQUESTS -> credit.ended(number(message), pending(message), true);
            case EXCEEDED_BYTES -> credit.exceededBytes(number(message), pending(message));
            case BROKEN -> broken(status.getCode() + " " + text);
        }
    }

    private void heartbeat(Message message) {
        Headers headers = message.getHeaders();
        String delivered = headers == null ? null : headers.getFirst("Nats-Last-Consumer");
        if (delivered != null && !closed) {
            receiver.idle(Long.parseLong(delivered));
        }
    }

    private long number(Message message) {
        return Long.parseLong(
                message.getSubject(), inbox.length() + 1, message.getSubject().length(), 10);
    }

    private static int pending(Message message) {
        Headers headers = message.getHeaders();
        String pending = headers == null ? null : headers.getFirst("Nats-Pending-Messages");
        return pending == null ? -1 : Integer.parseInt(pending);
    }

    /** Breaks the pull when the server is silent about requests, and repeats what could not be sent; called now and then. */
    void check() {
        if (credit.outstanding() > 0
                && System.nanoTime() - heardAt > times.silence().toNanos()) {
            // A receiver that runs now has just heard something.
            if (receiving.tryLock()) {
                try {
                    broken("no heartbeat for " + times.silence().toMillis() + " ms");
                } finally {
                    receiving.unlock();
                }
            }
            return;
        }
        credit.forgetBefore(System.nanoTime() - 2 * times.expires().toNanos());
        credit.resume();
        ask();
    }

    void broken(String reason) {
        receiving.lock();
        try {
            if (!closed) {
                close();
                receiver.broken(reason);
            }
        } catch (Throwable failed) {
            LOG.error("the receiver of {} failed when told that its pull is broken", requests, failed);
        } finally {
            receiving.unlock();
        }
    }

    @Override
    public void close() {
        closed = true;
        Subscription open = subscription;
        if (open != null) {
            subscription = null;
            try {
                dispatcher.unsubscribe(open);
            } catch (RuntimeException ended) {
                LOG.debug("cannot unsubscribe {}: {}", inbox, ended.toString());
            }
        }
        whenClosed.accept(this);
    }
}
