package dev.sluice.worker.stream;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A receiver that keeps what comes. */
class Received implements Consumers.Receiver, AutoCloseable {
    final List<Delivery> deliveries = new CopyOnWriteArrayList<>();
    final List<String> broken = new CopyOnWriteArrayList<>();
    /** The last consumer sequences that heartbeats named. */
    final List<Long> lastDelivered = new CopyOnWriteArrayList<>();
    /** Calls that came while another one was running. */
    final AtomicInteger overlaps = new AtomicInteger();

    final Consumers.Pull pull;
    private final AtomicInteger inside = new AtomicInteger();

    Received(Consumers consumers, String consumer) {
        pull = consumers.pull(consumer, this);
    }

    @Override
    public void delivered(Delivery delivery) {
        overlaps.addAndGet(inside.getAndIncrement());
        deliveries.add(delivery);
        inside.decrementAndGet();
    }

    @Override
    public void idle(long delivered) {
        overlaps.addAndGet(inside.getAndIncrement());
        lastDelivered.add(delivered);
        inside.decrementAndGet();
    }

    @Override
    public void broken(String reason) {
        overlaps.addAndGet(inside.getAndIncrement());
        broken.add(reason);
        inside.decrementAndGet();
    }

    List<Long> sequences() {
        return deliveries.stream().map(Delivery::sequence).toList();
    }

    List<Long> consumerSequences() {
        return deliveries.stream().map(Delivery::consumerSequence).toList();
    }

    Received ackAll() {
        deliveries.forEach(Delivery::ack);
        return this;
    }

    @Override
    public void close() {
        pull.close();
    }
}
