package dev.sluice.nats;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.DeliveryBody;
import dev.sluice.deliver.DeliveryReply;
import dev.sluice.deliver.Reason;
import io.nats.client.Connection;
import io.nats.client.JetStreamStatusException;
import io.nats.client.Message;
import io.nats.client.support.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One request per batch; the gateway's reply says what came of it. */
final class RequestReply implements NatsDeliverer.NatsSending {
    private final String subject;

    RequestReply(String subject) {
        this.subject = subject;
    }

    @Override
    public BatchOutcome send(Connection connection, DeliveryBatch batch, long deadline)
            throws IOException, InterruptedException {
        DeliveryBody body;
        try {
            body = DeliveryBody.of(batch);
        } catch (RuntimeException unwritable) {
            return new BatchOutcome.Refused("cannot be written as JSON: " + Reason.of(unwritable));
        }
        if (body.length() > connection.getMaxPayload()) {
            return new BatchOutcome.Refused("a message of " + body.length()
                    + " bytes is above the max_payload of NATS, " + connection.getMaxPayload());
        }
        return answer(connection, body.bytes(), batch.deliveries().size(), deadline);
    }

    private BatchOutcome answer(Connection connection, byte[] body, int events, long deadline)
            throws IOException, InterruptedException {
        long left = deadline - System.nanoTime();
        // jnats looks for requests that are over only every few seconds: so it is told a time, and waited for less.
        CompletableFuture<Message> reply =
                connection.requestWithTimeout(subject, body, Duration.ofNanos(Math.max(left, 1)));
        try {
            return DeliveryReply.read(reply.get(left, TimeUnit.NANOSECONDS).getData(), events);
        } catch (CancellationException cut) {
            return new BatchOutcome.RetryLater("no answer on " + subject + ": the connection to NATS was lost");
        } catch (TimeoutException silence) {
            return new BatchOutcome.RetryLater("no answer in time on " + subject);
        } catch (ExecutionException failed) {
            if (saysNobodyListens(failed.getCause())) {
                return new BatchOutcome.RetryLater("nobody listens on " + subject);
            }
            throw new IOException(Reason.of(failed), failed);
        } finally {
            reply.cancel(true);
        }
    }

    /** The server's own word: we are connected, the gateway is not. */
    private static boolean saysNobodyListens(@Nullable Throwable cause) {
        return cause instanceof JetStreamStatusException said
                && said.getStatus().getCode() == Status.NO_RESPONDERS_CODE;
    }
}
