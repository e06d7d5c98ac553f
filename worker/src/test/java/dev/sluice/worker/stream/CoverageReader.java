package dev.sluice.worker.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.awaitility.Awaitility;

/**
 * Reads a whole stream the way a worker does, in small: it counts only an unbroken run of consumer sequences, and after a
 * break it reads on with another consumer behind what it has covered.
 */
final class CoverageReader implements Consumers.Receiver, AutoCloseable {
    private final Connection connection;
    private final NatsMessageStream stream;
    private final boolean inMemory;
    private final Set<Long> taken = new ConcurrentSkipListSet<>();
    private volatile Consumers.Pull pull;
    private volatile String consumer = "";
    private volatile String broken = "";
    private long expected;
    private volatile long coverage;
    private int created;

    CoverageReader(Options options, String stream, boolean inMemory, PullTimes times)
            throws IOException, InterruptedException {
        this.connection = Nats.connect(options);
        this.stream = new NatsMessageStream(connection, stream, Duration.ofSeconds(2), times);
        this.inMemory = inMemory;
    }

    /** Creates a consumer that this server leads, and begins. */
    void startOn(String leader, Duration within) {
        Awaitility.await().atMost(within).until(() -> {
            ConsumerState made = create();
            assertThat(stream.consumers().info(consumer).orElseThrow())
                    .as("the answer to a creation is its leader's")
                    .isEqualTo(made);
            return made.leader().equals(leader);
        });
        begin();
    }

    /** Reads on with another consumer, whatever became of the first one. A create without an answer is tried under another name. */
    void goOn(Duration within) {
        broken = "";
        Awaitility.await().atMost(within).ignoreExceptions().until(() -> create() != null);
        begin();
    }

    private ConsumerState create() {
        consumer = (inMemory ? "memory-" : "durable-") + ++created;
        ConsumerSpec spec = inMemory
                ? StreamScene.catchUp(consumer, coverage + 1, "p.1")
                : new ConsumerSpec(
                        consumer, List.of("p.1"), coverage + 1, true, StreamScene.NEVER_AGAIN, 1_000, 16, null, false);
        return stream.consumers().create(spec);
    }

    private void begin() {
        expected = 1;
        pull = stream.consumers().pull(consumer, this);
        pull.want(50, 0);
    }

    @Override
    public void delivered(Delivery delivery) {
        if (delivery.consumerSequence() != expected) {
            pull.close();
            broken = "consumer sequence " + delivery.consumerSequence() + " instead of " + expected;
            return;
        }
        expected++;
        taken.add(delivery.sequence());
        coverage = delivery.sequence();
        delivery.ack();
        pull.want(50, 0);
    }

    @Override
    public void broken(String reason) {
        broken = reason;
    }

    boolean isBroken() {
        return !broken.isEmpty();
    }

    Set<Long> taken() {
        return taken;
    }

    @Override
    public void close() {
        stream.close();
        try {
            connection.close();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
