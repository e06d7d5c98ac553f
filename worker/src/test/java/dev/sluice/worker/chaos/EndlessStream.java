package dev.sluice.worker.chaos;

import dev.sluice.worker.partition.FixedStream;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.Delivery;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A stream with more messages of each subject than anybody can hold; they are delivered as soon as they are asked for. */
final class EndlessStream extends ForwardingStream {
    private static final long PENDING = 1_000_000;

    private final byte[] body;
    private final Map<String, ConsumerSpec> specs = new ConcurrentHashMap<>();

    /** @param body of every message; one array, so that the test itself needs no memory */
    EndlessStream(List<String> subjects, byte[] body) {
        super(new FixedStream().with(subjects.toArray(String[]::new)));
        this.body = body;
    }

    @Override
    public ConsumerState create(ConsumerSpec spec) {
        specs.put(spec.name(), spec);
        return state(spec);
    }

    private static ConsumerState state(ConsumerSpec spec) {
        return new ConsumerState(
                spec.name(), spec.filters(), "", Instant.EPOCH, PENDING, 0, 0, 0, spec.explicitAck(), true);
    }

    @Override
    public Optional<ConsumerState> info(String name) {
        return Optional.ofNullable(specs.get(name)).map(EndlessStream::state);
    }

    @Override
    public List<String> names(String prefix) {
        return List.copyOf(specs.keySet());
    }

    @Override
    public boolean delete(String name) {
        return specs.remove(name) != null;
    }

    @Override
    public Pull pull(String consumer, Receiver receiver) {
        return new EndlessPull(specs.get(consumer).filters().getFirst(), receiver);
    }

    private final class EndlessPull implements Pull {
        private final String subject;
        private final Receiver receiver;
        private final ExecutorService thread =
                Executors.newSingleThreadExecutor(Thread.ofVirtual().factory());
        private final AtomicInteger wanted = new AtomicInteger();
        private final AtomicLong bytes = new AtomicLong();
        private long sequence;

        private EndlessPull(String subject, Receiver receiver) {
            this.subject = subject;
            this.receiver = receiver;
        }

        @Override
        public void want(int messages, int maxBytes) {
            wanted.set(messages);
            bytes.set(maxBytes == 0 ? Long.MAX_VALUE : maxBytes);
            if (messages > 0 && !thread.isShutdown()) {
                thread.execute(this::deliver);
            }
        }

        /** The first message of a request comes whatever its size. */
        private void deliver() {
            do {
                if (wanted.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
                    return;
                }
                sequence++;
                bytes.addAndGet(-body.length);
                receiver.delivered(new EndlessDelivery(subject, sequence, body));
            } while (bytes.get() >= body.length);
        }

        @Override
        public int outstanding() {
            return wanted.get();
        }

        @Override
        public void close() {
            thread.shutdown();
        }
    }

    private record EndlessDelivery(String subject, long sequence, byte[] data) implements Delivery {
        @Override
        public long consumerSequence() {
            return sequence;
        }

        @Override
        public long deliveryCount() {
            return 1;
        }

        @Override
        public long pending() {
            return PENDING;
        }

        @Override
        public int size() {
            return data().length;
        }

        @Override
        public void ack() {}

        @Override
        public void inProgress() {}

        @Override
        public Map<String, List<String>> headers() {
            return Map.of();
        }

        @Override
        public Instant storedAt() {
            return Instant.EPOCH;
        }
    }
}
