package dev.sluice.nats;

import dev.sluice.coordinate.StoreUnavailableException;
import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.Dispatcher;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.JetStreamStatusException;
import io.nats.client.Message;
import io.nats.client.api.PublishAck;
import io.nats.client.impl.Headers;
import io.nats.client.support.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Calls of NATS that end in bounded time, over a connection of its own or the application's. While there is no connection
 * nothing is queued: a write that comes minutes later would surprise everybody.
 */
final class NatsLink implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final ConnectionSource source;
    private final Duration timeout;
    private final Set<Runnable> whenBack = ConcurrentHashMap.newKeySet();
    private final ConnectionListener listener = this::event;
    private volatile @Nullable Connection last;
    private volatile boolean closed;

    NatsLink(NatsAccess access, Duration timeout) {
        this(new OwnConnection(access, timeout), timeout);
    }

    NatsLink(ConnectionSource source, Duration timeout) {
        this.source = source;
        this.timeout = timeout;
    }

    Duration timeout() {
        return timeout;
    }

    /** A call that may fail in jnats' ways. */
    interface Call<T> {
        T run() throws IOException, JetStreamApiException, InterruptedException;
    }

    /**
     * @throws StoreUnavailableException when there is no answer in time, or one that does not help
     * @throws RefusedException when JetStream refused the write: it has not happened
     */
    <T> T call(String what, Call<T> call) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            try {
                return call.run();
            } catch (IOException | JetStreamApiException | IllegalStateException | InterruptedException failed) {
                if (!hasDoneNothing(failed) || System.nanoTime() > deadline) {
                    throw explained(what, failed);
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    /**
     * While a stream elects its leader, or is new and not known to all servers, or has another write of the key under way:
     * then trying again repeats nothing.
     */
    static boolean hasDoneNothing(Exception failed) {
        return failed instanceof JetStreamApiException answer
                ? RefusedException.isTooEarly(answer)
                : failed instanceof JetStreamStatusException answered
                        && answered.getStatus().getCode() == Status.NO_RESPONDERS_CODE;
    }

    /**
     * Sends a message to the stream of its subject and waits for the acknowledgement. jnats' own publish tells by the text
     * of an exception only that no stream took it.
     *
     * @throws JetStreamStatusException with the status "no responders" when no stream takes the subject now
     * @throws IOException when nobody knows whether it was stored
     * @throws JetStreamApiException when the stream refused it
     */
    PublishAck publish(String subject, Headers headers, byte[] body)
            throws IOException, JetStreamApiException, InterruptedException {
        CompletableFuture<Message> reply = connection().requestWithTimeout(subject, headers, body, timeout);
        try {
            return new PublishAck(reply.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof JetStreamStatusException answered) {
                throw answered;
            }
            throw new IOException(String.valueOf(failed.getCause()), failed);
        } catch (TimeoutException | CancellationException unanswered) {
            throw new IOException("no acknowledgement within " + timeout.toMillis() + " ms", unanswered);
        } finally {
            reply.cancel(true);
        }
    }

    private RuntimeException explained(String what, Exception failed) {
        if (failed instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return failed instanceof JetStreamApiException answer && RefusedException.isRefusal(answer)
                ? new RefusedException(answer)
                : unavailable(what, failed);
    }

    StoreUnavailableException unavailable(String what, Throwable cause) {
        return new StoreUnavailableException(
                "Cannot " + what + " in NATS at " + source
                        + ": see that it runs, with JetStream, has a leader and lets us in (" + cause.getMessage()
                        + ").",
                cause);
    }

    JetStream jetStream() throws IOException, InterruptedException {
        return connection().jetStream(options());
    }

    JetStreamManagement management() throws IOException, InterruptedException {
        return connection().jetStreamManagement(options());
    }

    private JetStreamOptions options() {
        return JetStreamOptions.builder().requestTimeout(timeout).build();
    }

    Connection connection() throws IOException, InterruptedException {
        if (closed) {
            throw new IllegalStateException("the connection is closed");
        }
        Connection connection = source.get(listener);
        last = connection;
        return connection;
    }

    private void event(Connection from, ConnectionListener.Events event) {
        if (event == ConnectionListener.Events.RESUBSCRIBED || event == ConnectionListener.Events.CLOSED) {
            whenBack.forEach(Runnable::run);
        }
    }

    /** Runs this, briefly, whenever a lost connection is back or is to be made anew. */
    void whenBack(Runnable task) {
        whenBack.add(task);
    }

    void forget(Runnable task) {
        whenBack.remove(task);
    }

    void closeQuietly(Dispatcher dispatcher) {
        Connection connection = last;
        try {
            if (connection != null && dispatcher.isActive()) {
                connection.closeDispatcher(dispatcher);
            }
        } catch (IllegalArgumentException | IllegalStateException alreadyClosed) {
            // The connection closed it.
        }
    }

    @Override
    public void close() {
        closed = true;
        source.release(listener);
    }
}
