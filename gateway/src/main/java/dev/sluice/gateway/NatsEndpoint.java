package dev.sluice.gateway;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Protocol;
import dev.sluice.nats.EventSubject;
import dev.sluice.nats.NatsAccess;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.Message;
import io.nats.client.Nats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Answers the Streamer's requests on this gateway's subject. Without a reply subject nobody waits for an answer. */
final class NatsEndpoint implements Endpoint {
    private static final Duration DRAIN = Duration.ofSeconds(5);

    private final NatsAccess access;
    private final Intake intake;
    private final Connection connection;
    private final Dispatcher dispatcher;

    NatsEndpoint(String gatewayId, NatsAccess access, Intake intake) {
        String subject = EventSubject.of(gatewayId);
        this.access = access;
        this.intake = intake;
        try {
            connection = Nats.connect(access.options()
                    .connectionName("sluice-gateway-" + gatewayId)
                    .maxReconnects(-1)
                    .reconnectWait(Duration.ofMillis(200))
                    .pingInterval(Duration.ofSeconds(2))
                    .maxPingsOut(2)
                    .build());
        } catch (IOException failed) {
            throw new UncheckedIOException("the gateway cannot reach NATS at " + access + ": see that it runs", failed);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while connecting to NATS", stop);
        }
        dispatcher = connection.createDispatcher(
                message -> Thread.ofVirtual().name("gateway-nats").start(() -> answer(message)));
        dispatcher.subscribe(subject);
    }

    private void answer(Message message) {
        byte[] body = message.getData();
        int[] events = {0};
        BatchOutcome outcome = body.length > intake.maxBytes()
                ? new BatchOutcome.Refused("a batch has at most " + intake.maxBytes() + " bytes")
                : intake.take(body.length, () -> {
                    List<Incoming> batch = BatchJson.read(new String(body, StandardCharsets.UTF_8));
                    events[0] = batch.size();
                    return batch;
                });
        String reply = message.getReplyTo();
        if (reply != null) {
            connection.publish(reply, ReplyJson.of(outcome, events[0]).getBytes(StandardCharsets.UTF_8));
        }
    }

    @Override
    public Protocol protocol() {
        return Protocol.NATS;
    }

    @Override
    public String address() {
        return String.join(",", access.servers());
    }

    @Override
    public void close() {
        try {
            connection.drain(DRAIN).get();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (java.util.concurrent.ExecutionException
                | java.util.concurrent.TimeoutException
                | RuntimeException gone) {
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
