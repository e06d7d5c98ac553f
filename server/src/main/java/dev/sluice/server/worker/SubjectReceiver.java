package dev.sluice.server.worker;

import dev.sluice.deliver.Reason;
import dev.sluice.worker.MessageContext;
import dev.sluice.worker.stream.StreamMessage;
import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamOptions;
import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsMessage;
import java.io.IOException;
import java.time.Duration;

/**
 * Publishes messages to a subject of another stream and waits until that stream has stored them. A message that is sent again
 * has the same {@code Nats-Msg-Id}: the stream drops the repeat within its duplicate window.
 */
final class SubjectReceiver implements Receiver {
    private static final int TOO_LARGE_FOR_STREAM = 10054;

    private final Connection connection;
    private final JetStream streams;
    private final String group;
    private final String stream;
    private final TargetSubject subject;

    /** @param group other groups of workers may forward the same stream: their message ids differ */
    SubjectReceiver(Connection connection, String group, String stream, TargetSubject subject, Duration timeout)
            throws IOException {
        this.connection = connection;
        this.streams = connection.jetStream(
                JetStreamOptions.builder().requestTimeout(timeout).build());
        this.group = group;
        this.stream = stream;
        this.subject = subject;
    }

    @Override
    public Answer send(MessageContext context, StreamMessage message) throws InterruptedException {
        NatsMessage forwarded = forwarded(context, message);
        long bytes = forwarded.getHeaders() == null ? 0 : forwarded.getHeaders().serializedLength();
        bytes += message.data().length;
        if (bytes > connection.getMaxPayload()) {
            return new Answer.Refused(
                    bytes + " bytes with our headers are above the max_payload of NATS, " + connection.getMaxPayload());
        }
        try {
            streams.publish(forwarded);
            return Answer.ACCEPTED;
        } catch (JetStreamApiException refused) {
            return refused.getApiErrorCode() == TOO_LARGE_FOR_STREAM
                    ? new Answer.Refused(Reason.of(refused))
                    : new Answer.Away("JetStream did not store it: " + Reason.of(refused));
        } catch (IOException | IllegalStateException silent) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return new Answer.Away("no stream stored " + forwarded.getSubject()
                    + ": make a stream that takes this subject, or see that NATS answers (" + Reason.of(silent) + ")");
        }
    }

    private NatsMessage forwarded(MessageContext context, StreamMessage message) {
        Headers headers = new Headers();
        ForwardedHeaders.forNats(stream, context, message).forEach(headers::put);
        headers.put("Nats-Msg-Id", id(message));
        return NatsMessage.builder()
                .subject(subject.of(context.partition(), context.subject()))
                .headers(headers)
                .data(message.data())
                .build();
    }

    /** With the time: a stream that was made again, or has lost its last messages, uses their sequences for others. */
    private String id(StreamMessage message) {
        return group + "-" + stream + "-" + message.sequence() + "-"
                + message.storedAt().toEpochMilli();
    }

    /** The connection is the worker's. */
    @Override
    public void close() {}
}
