package dev.sluice.nats;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.DeliveryBody;
import dev.sluice.deliver.EventByEvent;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.EventType;
import dev.sluice.deliver.HeaderText;
import dev.sluice.deliver.Reason;
import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamOptions;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One message per event, into whichever stream takes the subject. */
final class JetStreamPublish implements NatsDeliverer.NatsSending {
    private static final int TOO_LARGE_FOR_STREAM = 10054;
    private static final String MESSAGE_ID = "Nats-Msg-Id";

    private final String subject;

    JetStreamPublish(String subject) {
        this.subject = subject;
    }

    @Override
    public BatchOutcome send(Connection connection, DeliveryBatch batch, long deadline) throws IOException {
        if (batch.isProbe()) {
            return probe(connection, deadline);
        }
        JetStream streams = connection.jetStream();
        return EventByEvent.run(batch, delivery -> publish(connection, streams, batch, delivery, deadline));
    }

    /** Whether a stream takes the subject: a message to find out would be there for all to see. */
    private BatchOutcome probe(Connection connection, long deadline) throws IOException {
        JetStreamOptions options = JetStreamOptions.builder()
                .requestTimeout(Duration.ofNanos(Math.max(deadline - System.nanoTime(), 1)))
                .build();
        try {
            return connection
                            .jetStreamManagement(options)
                            .getStreamNames(subject)
                            .isEmpty()
                    ? new BatchOutcome.RetryLater("no stream takes the subject " + subject + ": make one")
                    : BatchOutcome.DELIVERED;
        } catch (JetStreamApiException failed) {
            return new BatchOutcome.RetryLater(Reason.of(failed));
        }
    }

    private CompletableFuture<EventOutcome> publish(
            Connection connection, JetStream streams, DeliveryBatch batch, Delivery delivery, long deadline) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            return ended(new EventOutcome.RetryLater("no time was left to send it"));
        }
        DeliveryBody body;
        try {
            body = DeliveryBody.unanswered(new DeliveryBatch(
                    batch.gatewayId(), List.of(delivery), batch.introductions().of(delivery.subscriptionId())));
        } catch (RuntimeException unwritable) {
            return ended(new EventOutcome.Rejected("cannot be written as JSON: " + Reason.of(unwritable)));
        }
        Headers headers = new Headers().put(MESSAGE_ID, messageId(delivery));
        long bytes = headers.serializedLength() + body.length();
        if (bytes > connection.getMaxPayload()) {
            return ended(new EventOutcome.Rejected("a message of " + bytes + " bytes is above the max_payload of NATS, "
                    + connection.getMaxPayload()));
        }
        try {
            return streams.publishAsync(subject, headers, body.bytes())
                    .orTimeout(left, TimeUnit.NANOSECONDS)
                    .handle((ack, failed) -> failed == null ? EventOutcome.DELIVERED : outcome(failed));
        } catch (RuntimeException away) {
            return ended(new EventOutcome.RetryLater("cannot reach NATS: " + Reason.of(away)));
        }
    }

    /**
     * The same for every attempt of this delivery. Its number is not in it: what is left over of a batch, or is read again
     * from the log, has a new one. The start is: a subscription that registers again with {@code from} asks for what the
     * stream has had. And each time that a subscriber is to read everything again, it must hear of it.
     */
    private static String messageId(Delivery delivery) {
        String what = delivery.event().event().id() + "/" + delivery.partition() + "/" + delivery.token() + "/"
                + delivery.type().text() + "/" + HeaderText.of(delivery.subscriptionId()) + "/"
                + delivery.scope().start();
        return delivery.type() == EventType.RESYNC ? what + "/" + delivery.seq() : what;
    }

    private static EventOutcome outcome(Throwable failed) {
        Throwable cause = failed;
        while (cause.getCause() != null && !(cause instanceof JetStreamApiException)) {
            cause = cause.getCause();
        }
        return cause instanceof JetStreamApiException said && said.getApiErrorCode() == TOO_LARGE_FOR_STREAM
                ? new EventOutcome.Rejected(Reason.of(said))
                : new EventOutcome.RetryLater("JetStream did not store it: " + Reason.of(failed));
    }

    private static CompletableFuture<EventOutcome> ended(EventOutcome outcome) {
        return CompletableFuture.completedFuture(outcome);
    }
}
