package dev.sluice.worker.stream;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A receiver that keeps what comes, and pulls by itself as long as it wants more. */
final class Received implements Consumers.Receiver, AutoCloseable {
    private static final Duration WITHIN = Duration.ofSeconds(20);

    final List<Delivery> deliveries = new CopyOnWriteArrayList<>();
    final List<String> broken = new CopyOnWriteArrayList<>();
    final AtomicInteger overlapping = new AtomicInteger();
    private final AtomicInteger inside = new AtomicInteger();
    final Consumers.Pull pull;

    Received(Consumers consumers, String consumer) {
        pull = consumers.pull(consumer, this);
    }

    /** A receiver that has asked for so many. */
    static Received of(Consumers consumers, String consumer, int messages) {
        Received received = new Received(consumers, consumer);
        received.pull.want(messages, 0);
        return received;
    }

    @Override
    public void delivered(Delivery delivery) {
        overlapping.addAndGet(inside.getAndIncrement());
        deliveries.add(delivery);
        inside.decrementAndGet();
    }

    @Override
    public void broken(String reason) {
        overlapping.addAndGet(inside.getAndIncrement());
        broken.add(reason);
        inside.decrementAndGet();
    }

    Received await(int count) {
        org.awaitility.Awaitility.await().atMost(WITHIN).until(() -> deliveries.size() >= count);
        return this;
    }

    String awaitBroken() {
        org.awaitility.Awaitility.await().atMost(WITHIN).until(() -> !broken.isEmpty());
        return broken.getFirst();
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
