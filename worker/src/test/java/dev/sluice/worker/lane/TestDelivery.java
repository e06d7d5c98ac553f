package dev.sluice.worker.lane;

import dev.sluice.worker.stream.Delivery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An empty message that is delivered for the first time.
 *
 * @param acked gets its sequence when it is acknowledged
 */
public record TestDelivery(long sequence, String subject, List<Long> acked) implements Delivery {
    public TestDelivery(long sequence, String subject) {
        this(sequence, subject, new ArrayList<>());
    }

    @Override
    public long consumerSequence() {
        return 1;
    }

    @Override
    public long deliveryCount() {
        return 1;
    }

    @Override
    public long pending() {
        return 0;
    }

    @Override
    public int size() {
        return data().length;
    }

    @Override
    public void ack() {
        acked.add(sequence);
    }

    @Override
    public void inProgress() {}

    @Override
    public byte[] data() {
        return new byte[0];
    }

    @Override
    public Map<String, List<String>> headers() {
        return Map.of();
    }

    @Override
    public Instant storedAt() {
        return Instant.EPOCH;
    }
}
