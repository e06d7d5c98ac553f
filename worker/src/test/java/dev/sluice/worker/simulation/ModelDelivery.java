package dev.sluice.worker.simulation;

import dev.sluice.worker.stream.Delivery;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * One delivery of the model. What its acknowledgement names is a consumer's name and a stream sequence, as in NATS: one
 * for an earlier consumer of that name counts for the present one.
 */
record ModelDelivery(
        ModelMessage message, String consumer, long consumerSequence, long deliveryCount, long pending, Acks acks)
        implements Delivery {

    /** Sends to the server without waiting. */
    interface Acks {
        void ack(String consumer, long sequence);

        void inProgress(String consumer, long sequence);
    }

    @Override
    public int size() {
        return data().length;
    }

    @Override
    public void ack() {
        acks.ack(consumer, sequence());
    }

    @Override
    public void inProgress() {
        acks.inProgress(consumer, sequence());
    }

    @Override
    public String subject() {
        return message.subject();
    }

    @Override
    public byte[] data() {
        return message.data();
    }

    @Override
    public Map<String, List<String>> headers() {
        return message.headers();
    }

    @Override
    public long sequence() {
        return message.sequence();
    }

    @Override
    public Instant storedAt() {
        return message.storedAt();
    }
}
