package dev.sluice.nats;

import dev.sluice.deliver.Attempts;
import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Reason;
import dev.sluice.model.InvalidInputException;
import io.nats.client.Connection;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Delivers to a gateway by way of NATS servers, on its {@link EventSubject}.
 *
 * <p>By request and reply: the body is that of HTTP ({@link dev.sluice.deliver.DeliveryBody}), the reply a
 * {@link dev.sluice.deliver.DeliveryReply}. When nobody listens there the attempt ends at once.
 *
 * <p>Or by JetStream: each event is a message of its own, a body with one event. Its {@code Nats-Msg-Id} makes a stream
 * drop what an attempt without an answer stored already, also when that arrives late.
 */
public final class NatsDeliverer implements Deliverer {
    private static final String SERVER = "((nats|tls|wss?)://)?([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.%]+])(:[0-9]{1,5})?/?";
    private static final Pattern SERVERS = Pattern.compile(SERVER + "(," + SERVER + ")*");

    private final NatsDelivery settings;
    private final Attempts attempts;
    private final NatsLink link;
    private final NatsSending sending;
    private @Nullable CompletableFuture<Connection> connected;

    /** How one attempt goes over a connection that stands. */
    interface NatsSending {
        BatchOutcome send(Connection connection, DeliveryBatch batch, long deadline)
                throws IOException, InterruptedException;
    }

    /** @throws InvalidInputException when the endpoint names no server, or the gateway's id makes no subject */
    public NatsDeliverer(GatewayAddress gateway, NatsDelivery settings) {
        if (!SERVERS.matcher(gateway.endpoint()).matches()) {
            throw new InvalidInputException("the endpoint " + InvalidInputException.quote(gateway.endpoint())
                    + " of a NATS gateway is not like nats://host:port");
        }
        String subject = EventSubject.of(gateway.id());
        this.settings = settings;
        this.attempts = new Attempts(gateway.id());
        // Less than an attempt has, so that it ends with the reason why there is no connection.
        this.link = new NatsLink(
                settings.at(gateway.endpoint()),
                settings.timeout().multipliedBy(3).dividedBy(4));
        this.sending = switch (settings.mode()) {
            case REQUEST -> new RequestReply(subject);
            case JETSTREAM -> new JetStreamPublish(subject);
        };
    }

    @Override
    public CompletionStage<BatchOutcome> deliver(DeliveryBatch batch) {
        long deadline = System.nanoTime() + settings.timeout().toNanos();
        return attempts.begin(() -> attempt(batch, deadline));
    }

    /** A JetStream stream takes what every publisher sends; a gateway that replies refuses older tokens. */
    @Override
    public Duration unfencedFor() {
        return settings.mode() == NatsDelivery.Mode.JETSTREAM ? settings.timeout() : Duration.ZERO;
    }

    private BatchOutcome attempt(DeliveryBatch batch, long deadline) throws InterruptedException {
        try {
            Connection connection = connected().get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            return connection.getStatus() == Connection.Status.CONNECTED
                    ? sending.send(connection, batch, deadline)
                    : new BatchOutcome.RetryLater("no connection to NATS: " + connection.getStatus());
        } catch (IOException | ExecutionException | IllegalStateException away) {
            return new BatchOutcome.RetryLater("cannot reach NATS: " + Reason.of(away));
        } catch (TimeoutException silence) {
            return new BatchOutcome.RetryLater("cannot reach NATS: no answer in time");
        }
    }

    /** Whoever comes first connects; the others wait for it, each as long as it has time. */
    private synchronized CompletableFuture<Connection> connected() {
        if (connected == null || connected.isCompletedExceptionally() || isClosed(connected)) {
            CompletableFuture<Connection> anew = new CompletableFuture<>();
            Thread.ofVirtual().name("nats-delivery-connect").start(() -> {
                try {
                    anew.complete(link.connection());
                } catch (Throwable failed) {
                    // An Error, too: the gateway would wait for this connection for ever otherwise.
                    anew.completeExceptionally(failed);
                }
            });
            connected = anew;
        }
        return connected;
    }

    private static boolean isClosed(CompletableFuture<Connection> connected) {
        return connected.isDone() && connected.join().getStatus() == Connection.Status.CLOSED;
    }

    /** The link ends by itself: it waits for a connection that is being made, and for what is being written. */
    @Override
    public void close() {
        attempts.close();
        Thread.ofVirtual().name("nats-delivery-close").start(link::close);
    }
}
