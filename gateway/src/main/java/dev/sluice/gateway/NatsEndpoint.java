package dev.sluice.gateway;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Protocol;
import dev.sluice.nats.EventSubject;
import dev.sluice.nats.NatsAccess;
import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.Dispatcher;
import io.nats.client.Message;
import io.nats.client.Nats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers the Streamer's requests on this gateway's subject. Without a reply subject nobody waits for an answer. */
final class NatsEndpoint implements Endpoint {
    private static final Logger LOG = LoggerFactory.getLogger(NatsEndpoint.class);
    private static final Duration DRAIN = Duration.ofSeconds(5);

    private final String gatewayId;
    private final String subject;
    private final NatsAccess access;
    private final Intake intake;
    private final CountDownLatch closing = new CountDownLatch(1);
    /** One party for each message that is being handled, and one for being open. */
    private final Phaser handling = new Phaser(1);

    private volatile Connection connection;
    private volatile @Nullable Dispatcher dispatcher;

    NatsEndpoint(String gatewayId, NatsAccess access, Intake intake) {
        this.gatewayId = gatewayId;
        this.subject = EventSubject.of(gatewayId);
        this.access = access;
        this.intake = intake;
        try {
            connection = connect();
        } catch (IOException failed) {
            throw new UncheckedIOException("the gateway cannot reach NATS at " + access + ": see that it runs", failed);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while connecting to NATS", stop);
        }
    }

    private Connection connect() throws IOException, InterruptedException {
        Connection made = Nats.connect(access.options()
                .connectionName("sluice-gateway-" + gatewayId)
                .maxReconnects(-1)
                .reconnectWait(Duration.ofMillis(200))
                .pingInterval(Duration.ofSeconds(2))
                .maxPingsOut(2)
                .connectionListener(this::event)
                .build());
        dispatcher = made.createDispatcher(message -> {
                    handling.register();
                    Thread.ofVirtual().name("gateway-nats").start(() -> handle(made, message));
                })
                .subscribe(subject);
        awaitSubscription(made);
        return made;
    }

    /** The server answers in order: until it has the subscription, a sender would be told that nobody listens. */
    private static void awaitSubscription(Connection made) throws IOException, InterruptedException {
        try {
            made.flush(DRAIN);
        } catch (TimeoutException silent) {
            made.close();
            throw new IOException("NATS did not confirm the subscription within " + DRAIN.toSeconds() + " s", silent);
        }
    }

    /** jnats gives up, and closes, after a server refused us twice, as during a change of passwords. */
    private void event(Connection from, ConnectionListener.Events event) {
        if (event == ConnectionListener.Events.CLOSED && from == connection && closing.getCount() > 0) {
            Thread.ofVirtual().name("gateway-nats-again").start(this::connectAgain);
        }
    }

    private void connectAgain() {
        LOG.warn("NATS at {} let us go. Connecting again until it takes us.", access);
        try {
            while (connection.getStatus() == Connection.Status.CLOSED && !closing.await(1, TimeUnit.SECONDS)) {
                tryAgain();
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        if (closing.getCount() == 0) {
            closeConnection();
        }
    }

    private void tryAgain() throws InterruptedException {
        try {
            connection = connect();
            LOG.info("NATS at {} takes us again", access);
        } catch (IOException | RuntimeException notYet) {
            LOG.debug("NATS at {} does not take us yet", access, notYet);
        }
    }

    /** For tests. */
    Connection connection() {
        return connection;
    }

    private void handle(Connection from, Message message) {
        try {
            answer(from, message);
        } finally {
            handling.arriveAndDeregister();
        }
    }

    private void answer(Connection from, Message message) {
        byte[] body = message.getData();
        int[] events = {0};
        BatchOutcome outcome = body.length > intake.maxBytes()
                ? new BatchOutcome.Refused("a batch has at most " + intake.maxBytes() + " bytes")
                : intake.take(body.length, () -> {
                    IncomingBatch batch = BatchJson.read(new String(body, StandardCharsets.UTF_8));
                    events[0] = batch.events().size();
                    return batch;
                });
        String reply = message.getReplyTo();
        if (reply != null) {
            from.publish(reply, ReplyJson.of(outcome, events[0]).getBytes(StandardCharsets.UTF_8));
        }
    }

    @Override
    public Protocol protocol() {
        return Protocol.NATS;
    }

    /** Without user and password: the Streamer comes with its own, and addresses are kept and logged. */
    @Override
    public String address() {
        return access.toString();
    }

    /** No more messages; those that are being handled are answered first. */
    @Override
    public void close() {
        if (closing.getCount() == 0) {
            return;
        }
        closing.countDown();
        try {
            Dispatcher taking = dispatcher;
            if (taking != null) {
                taking.drain(DRAIN).get();
            }
            handling.awaitAdvanceInterruptibly(handling.arriveAndDeregister(), DRAIN.toMillis(), TimeUnit.MILLISECONDS);
            connection.flush(DRAIN);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RuntimeException gone) {
            // Whoever waits for an answer sends it again.
        }
        closeConnection();
    }

    private void closeConnection() {
        try {
            connection.close();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}
