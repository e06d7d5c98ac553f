package dev.sluice.nats;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.DeliveryBody;
import dev.sluice.deliver.EventByEvent;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.Reason;
import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamOptions;
import io.nats.client.PublishOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One message per event, into whichever stream takes the subject. */
final class JetStreamPublish implements NatsDeliverer.NatsSending {
    private static final int TOO_LARGE_FOR_STREAM = 10054;

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
        return EventByEvent.run(batch, delivery -> publish(connection, streams, batch.gatewayId(), delivery, deadline));
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
            Connection connection, JetStream streams, String gatewayId, Delivery delivery, long deadline) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            return ended(new EventOutcome.RetryLater("no time was left to send it"));
        }
        try {
            DeliveryBody body = DeliveryBody.of(new DeliveryBatch(gatewayId, List.of(delivery)));
            if (body.length() > connection.getMaxPayload()) {
                return ended(new EventOutcome.Rejected("a message of " + body.length()
                        + " bytes is above the max_payload of NATS, " + connection.getMaxPayload()));
            }
            PublishOptions options =
                    PublishOptions.builder().messageId(messageId(delivery)).build();
            return streams.publishAsync(subject, body.bytes(), options)
                    .orTimeout(left, TimeUnit.NANOSECONDS)
                    .handle((ack, failed) -> failed == null ? EventOutcome.DELIVERED : outcome(failed));
        } catch (IllegalStateException away) {
            return ended(new EventOutcome.RetryLater("cannot reach NATS: " + Reason.of(away)));
        } catch (RuntimeException unwritable) {
            return ended(new EventOutcome.Rejected("cannot be written as JSON: " + Reason.of(unwritable)));
        }
    }

    /** The same for every attempt of this delivery, and for no other: also a dead letter that is tried again passes. */
    private static String messageId(Delivery delivery) {
        return delivery.event().event().id() + "/" + delivery.partition() + "/" + delivery.token() + "/"
                + delivery.seq() + "/" + delivery.type().text() + "/" + delivery.subscriptionId();
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
