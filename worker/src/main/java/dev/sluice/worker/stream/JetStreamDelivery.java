package dev.sluice.worker.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A message that JetStream delivered to a pull. */
final class JetStreamDelivery implements Delivery {
    private static final Logger LOG = LoggerFactory.getLogger(JetStreamDelivery.class);
    private static final byte[] ACK = "+ACK".getBytes(US_ASCII);
    private static final byte[] IN_PROGRESS = "+WPI".getBytes(US_ASCII);
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final Connection connection;
    private final Message message;
    private final AckSubject acks;

    JetStreamDelivery(Connection connection, Message message, AckSubject acks) {
        this.connection = connection;
        this.message = message;
        this.acks = acks;
    }

    @Override
    public String subject() {
        return message.getSubject();
    }

    @Override
    public byte[] data() {
        return message.getData();
    }

    @Override
    public Map<String, List<String>> headers() {
        Headers headers = message.getHeaders();
        if (headers == null || headers.isEmpty()) {
            return Map.of();
        }
        Map<String, List<String>> values = new HashMap<>();
        headers.forEach((name, list) -> values.put(name, List.copyOf(list)));
        return values;
    }

    @Override
    public long sequence() {
        return acks.streamSequence();
    }

    @Override
    public Instant storedAt() {
        return Instant.ofEpochSecond(acks.storedNanos() / NANOS_PER_SECOND, acks.storedNanos() % NANOS_PER_SECOND);
    }

    @Override
    public long consumerSequence() {
        return acks.consumerSequence();
    }

    @Override
    public long deliveryCount() {
        return acks.deliveryCount();
    }

    @Override
    public long pending() {
        return acks.pending();
    }

    @Override
    public int size() {
        Headers headers = message.getHeaders();
        return message.getData().length + (headers == null ? 0 : headers.serializedLength());
    }

    @Override
    public void ack() {
        send(ACK);
    }

    @Override
    public void inProgress() {
        send(IN_PROGRESS);
    }

    /** What cannot be sent is as if it were lost on the way: the message is delivered again after the ack wait. */
    private void send(byte[] answer) {
        try {
            connection.publish(acks.subject(), answer);
        } catch (RuntimeException unsent) {
            LOG.debug("cannot acknowledge {} of {}: {}", sequence(), subject(), unsent.toString());
        }
    }

    @Override
    public String toString() {
        return subject() + " " + sequence() + " (delivery " + deliveryCount() + ", consumer sequence "
                + consumerSequence() + ")";
    }
}
